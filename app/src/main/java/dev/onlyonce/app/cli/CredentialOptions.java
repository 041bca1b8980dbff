package dev.onlyonce.app.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.store.Credentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** By whom a server is asked: secrets come from a file, the environment or a prompt. */
final class CredentialOptions {

  private static final String VARIABLE = "ONLYONCE_PASSWORD";
  private static final int LONGEST_PASSWORD = 64 << 10;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      description = "The name by which the server of --store is asked, if the address has none.")
  private @Nullable String user;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = {
        "The file that has the password in its first line. Without it, " + VARIABLE + " has it."
      })
  private @Nullable Path passwordFile;

  @Option(
      names = "--password",
      interactive = true,
      arity = "0",
      description = "Ask for the password at the terminal.")
  private char @Nullable [] password;

  Credentials credentials() {
    if (password != null && passwordFile != null) {
      throw Failure.usage("--password asks for what --password-file has; leave out one of them");
    }
    return new Credentials(user, password());
  }

  private @Nullable String password() {
    if (password != null) {
      return required("--password was answered with nothing", new String(password));
    }
    return passwordFile == null
        ? System.getenv(VARIABLE)
        : required(
            "--password-file " + passwordFile + " has nothing in its first line",
            read(passwordFile));
  }

  /** The end of what can be read is no password, and a user who has none needs no option. */
  private static String required(String sentence, String password) {
    if (password.isEmpty()) {
      throw Failure.usage(
          sentence + ": give the password, or leave the option out if there is none");
    }
    return password;
  }

  private static String read(Path file) {
    try {
      if (Files.size(file) > LONGEST_PASSWORD) {
        throw Failure.usage("--password-file " + file + " is too long for a password");
      }
      return Files.readString(file, UTF_8).lines().findFirst().orElse("");
    } catch (IOException e) {
      throw Failure.io("cannot read --password-file " + file, e);
    }
  }
}
