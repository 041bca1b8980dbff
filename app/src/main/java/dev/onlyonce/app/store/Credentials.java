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

  /** A password may have anything in it, slashes too, so a login ends at the last at-sign. */
  private static final Pattern LOGIN = Pattern.compile("//(?:([^:@/]*):)?.*@");

  private static final String HOST = "(?:\\[[^]@/?]*]|[^]\\[@/?:;,]*)(?::\\d*)?";

  /** Where an at-sign is one of a setting's value. */
  private static final Pattern NO_LOGIN =
      Pattern.compile(
          "[^/]*//HOST(?:,HOST)*(?:/[^@?;]*)?(?:[?;][\\w.-]+=.*)?".replace("HOST", HOST));

  private static final Pattern IN_QUERY =
      Pattern.compile("((?:password|pwd)=)[^&;]*", Pattern.CASE_INSENSITIVE);

  /** Tells whether an address has a user or a password before its host. */
  static boolean isIn(String address) {
    return LOGIN.matcher(address).find() && !NO_LOGIN.matcher(address).matches();
  }

  /**
   * Returns an address without the passwords that it may have. What stands before the host without
   * a colon may be a password as well.
   */
  static String hidden(String address) {
    String first = isIn(address) ? withoutLogin(address) : address;
    return IN_QUERY.matcher(first).replaceAll("$1***");
  }

  private static String withoutLogin(String address) {
    return LOGIN
        .matcher(address)
        .replaceAll(login -> login.group(1) == null ? "//***@" : "//$1:***@");
  }

  /** Returns what others say of an address, without the passwords that it may have. */
  static String hiddenIn(String sentence, String address) {
    return IN_QUERY.matcher(sentence.replace(address, hidden(address))).replaceAll("$1***");
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
