package dev.onlyonce.app.store;

import dev.onlyonce.app.Failure;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * By whom a server is asked. A part that is missing is in the address, or is not needed.
 *
 * @param user his name; null if it was not said
 * @param password in clear; null if there is none
 */
public record Credentials(@Nullable String user, @Nullable String password) {

  private static final Pattern IN_AUTHORITY = Pattern.compile("//.*@");
  private static final Pattern IN_QUERY =
      Pattern.compile("((?:password|pwd)=)[^&;]*", Pattern.CASE_INSENSITIVE);

  /** Returns an address without the passwords that it may have. */
  static String hidden(String address) {
    String first = IN_AUTHORITY.matcher(address).replaceAll("//***@");
    return IN_QUERY.matcher(first).replaceAll("$1***");
  }

  /** Refuses a name where nobody asks for one; a password may be for other commands. */
  void refuseFor(String kind) {
    if (user != null) {
      throw Failure.usage(kind + " asks for no user; leave out --user");
    }
  }

  @Override
  public String toString() {
    return "Credentials[user=" + user + "]";
  }
}
