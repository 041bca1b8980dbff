package dev.onlyonce.app.store;

import dev.onlyonce.app.Failure;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.sql.SQLException;
import java.util.Locale;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Says why there is no connection to a database, and what to do about it, without secrets. */
record ConnectFault(DatabaseUrl url, Credentials credentials) {

  private static final String WHO_ASKS =
      "--user, and --password-file, ONLYONCE_PASSWORD or --password; in a file of tiers, user, and"
          + " password-file or password-env";

  /** Returns what is thrown about an address that no driver is asked with. */
  Failure ofAddress(String fault) {
    return Failure.usage("%s %s; write it as in %s".formatted(url, fault, url.example()));
  }

  /** Returns what is thrown where the driver is not there. */
  Failure noDriver() {
    return Failure.usage(
        url.isMySql()
            ? "there is no driver for %s: MySQL's is under the GPL and not built in; MariaDB's reaches MySQL, too: give %s"
                .formatted(url, url.forMariaDb())
            : "there is no driver for %s; those of PostgreSQL, MariaDB and H2 are built in"
                .formatted(url));
  }

  /** Returns what is thrown when a connection could not be made. */
  Failure of(Throwable thrown) {
    Throwable told = thrown;
    while (told.getCause() != null && !(told instanceof SQLException)) {
      told = told.getCause();
    }
    Throwable innermost = told;
    while (innermost.getCause() != null) {
      innermost = innermost.getCause();
    }
    String why =
        isOfCertificate(thrown)
            ? ofCertificate()
            : told instanceof SQLException e && !(innermost instanceof IOException)
                ? ofAnswer(e)
                : ofNetwork(innermost);
    String said = Credentials.hiddenIn(String.valueOf(told.getMessage()), url.text());
    return Failure.files(
        "cannot connect to %s: %s (%s)".formatted(url, why, said.replaceAll("\\s*\\R\\s*", " ")));
  }

  /** Drivers have exceptions of their own for that, and none for a file that is not there. */
  private static boolean isOfCertificate(Throwable thrown) {
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      if (each instanceof CertPathBuilderException
          || each instanceof SSLPeerUnverifiedException
          || String.valueOf(each.getMessage()).toLowerCase(Locale.ROOT).contains("certificat")) {
        return true;
      }
    }
    return false;
  }

  private String ofCertificate() {
    return "the certificate of %s cannot be verified: for one of your own name its file in the address, %s"
        .formatted(
            url.where(),
            url.isPostgreSql()
                ? "sslmode=verify-full&sslrootcert=FILE"
                : "serverSslCert=FILE, or have Java trust it (-Djavax.net.ssl.trustStore)");
  }

  private String ofNetwork(Throwable cause) {
    String where = url.where();
    if (cause instanceof UnknownHostException) {
      return "no host of "
          + where
          + " is known: see whether it is written right, and whether this machine can look it up";
    }
    if (cause instanceof ConnectException) {
      return "nobody answers at "
          + where
          + ": see whether host and port are right, and whether the server is up and takes"
          + " connections from here";
    }
    if (cause instanceof SocketTimeoutException) {
      return silent(where);
    }
    return where
        + " does not speak as a database should: see whether host and port are right, and whether the"
        + " server is up";
  }

  private static String silent(String where) {
    return where
        + " says nothing: see whether host and port are those of the database, and whether the server"
        + " is well";
  }

  private String ofAnswer(SQLException e) {
    String where = url.where();
    if (SqlStates.isLoginRefused(e) || (SqlStates.isRejected(e) && !hasPassword())) {
      return ofLogin();
    }
    if (SqlStates.isDatabaseMissing(e)) {
      return "there is no such database at "
          + where
          + ": see whether its name is right in the address, or make it (CREATE DATABASE)";
    }
    if (SqlStates.isDenied(e)) {
      return "the user may not use this database: let its owner grant that, or give another one by "
          + WHO_ASKS;
    }
    return url.isPostgreSql() && isTimeout(e)
        ? silent(where)
        : "see whether the address is right, and whether the server is up";
  }

  /** The driver's own time-out comes without a cause and says no more than that. */
  private static boolean isTimeout(SQLException e) {
    return "08001".equals(e.getSQLState()) && e.getCause() == null;
  }

  private String ofLogin() {
    String who =
        credentials.user() == null && !url.sets("user")
            ? "no user was named, so the name of this machine's was taken; "
            : "";
    return who
        + (hasPassword()
            ? "user and password are not those of one who is let in from here: set them right by "
            : "a password is asked for, and none was given: give user and password by ")
        + WHO_ASKS;
  }

  private boolean hasPassword() {
    String password = credentials.password();
    return (password != null && !password.isEmpty()) || url.sets("password");
  }
}
