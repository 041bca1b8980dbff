package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.cli.InProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the program does with a store in a database, whichever it is. */
abstract class SharedDatabaseRules extends SharedStoreRules {

  private final String url;
  private final Kind kind;

  SharedDatabaseRules(String url, Kind kind) {
    this.url = url;
    this.kind = kind;
  }

  /**
   * What differs from one kind of database to another; NAME stands for that of a user.
   *
   * @param user how one is named where something is granted to it
   * @param create makes one
   * @param drop removes one, with what it was granted
   * @param guide the file that says what to grant
   * @param room the megabytes that 3,600,000 keys take
   */
  record Kind(String user, String create, String drop, String guide, String room) {

    private String of(String statement, String name) {
      return statement.replace("{user}", user).replace("NAME", name);
    }
  }

  /**
   * What is granted on a table, and what the doctor then asks for; empty if nothing.
   *
   * @param table without its prefix
   */
  private record Grant(String table, String granted, String asked) {}

  @Override
  final String address() {
    return url;
  }

  static void execute(String url, String script) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String each : script.split(";\\s*\n", -1)) {
        if (!each.isBlank()) {
          statement.execute(each);
        }
      }
    }
  }

  private String urlOf(String name) {
    return url.replaceFirst("user=[^&]*", "user=" + name);
  }

  @Test
  void permissions_that_a_store_lacks_are_named_with_what_grants_them() throws SQLException {
    String denied =
        outputOf(
            new Grant("claim", "SELECT, INSERT, UPDATE", "DELETE"),
            new Grant("position", "SELECT, INSERT, UPDATE", ""),
            new Grant("event", "SELECT, DELETE", "INSERT, UPDATE"),
            new Grant("meta", "UPDATE", "SELECT, UPDATE"));
    assertThat(denied)
        .contains(
            "DELETE on onlyonce_claim is missing: no key is ever forgotten, and the table grows"
                + " without end; GRANT DELETE ON onlyonce_claim TO ");
    outputOf(
        new Grant("claim", "SELECT, INSERT, UPDATE, DELETE", ""),
        new Grant("position", "", "SELECT, INSERT, UPDATE"),
        new Grant("event", "", "SELECT, INSERT, UPDATE, DELETE"),
        new Grant("meta", "SELECT, UPDATE", ""));
  }

  /** Returns what the doctor says to a user who has these permissions only. */
  private String outputOf(Grant... grants) throws SQLException {
    execute(url, kind.of(kind.create, "Clerk"));
    try {
      return assertNamed(List.of(grants));
    } finally {
      execute(url, kind.of(kind.drop, "Clerk"));
    }
  }

  private String assertNamed(List<Grant> grants) throws SQLException {
    String user = kind.of("{user}", "Clerk");
    for (Grant each : grants) {
      if (!each.granted.isEmpty()) {
        execute(url, statement(each.granted, each.table, user));
      }
    }
    InProcess program = new InProcess(folder);
    String clerk = "--store=" + urlOf("Clerk");
    Result denied = program.run("doctor", clerk);
    assertThat(denied.code()).as(denied.err()).isEqualTo(1);
    assertThat(denied.out()).contains("no key was tried");
    List<String> asked =
        denied
            .out()
            .lines()
            .filter(it -> it.contains("GRANT "))
            .map(SharedDatabaseRules::statementIn)
            .toList();
    assertThat(asked)
        .containsExactlyInAnyOrderElementsOf(
            grants.stream()
                .filter(it -> !it.asked.isEmpty())
                .map(it -> statement(it.asked, it.table, user))
                .toList());

    execute(url, String.join(";\n", asked));
    assertThat(program.run("doctor", clerk).out())
        .contains(user + " may do")
        .containsPattern("(?m)^ok +permissions ")
        .containsPattern("(?m)^ok +one key ");
    return denied.out();
  }

  private static String statement(String permissions, String table, String user) {
    return "GRANT " + permissions + " ON onlyonce_" + table + " TO " + user;
  }

  private static String statementIn(String line) {
    return line.substring(line.indexOf("GRANT "));
  }

  @Test
  void what_the_guide_grants_is_enough() throws IOException, SQLException {
    execute(url, kind.of(kind.create, "shop"));
    try {
      execute(url, grantsOfTheGuide());
      assertThat(new InProcess(folder).run("doctor", "--store=" + urlOf("shop")).out())
          .containsPattern("(?m)^ok +permissions ")
          .containsPattern("(?m)^ok +one key ");
    } finally {
      execute(url, kind.of(kind.drop, "shop"));
    }
  }

  private String grantsOfTheGuide() throws IOException {
    return Files.readString(Path.of("../docs/guides", kind.guide))
        .lines()
        .filter(it -> it.startsWith("GRANT "))
        .collect(Collectors.joining("\n"));
  }

  @Test
  void the_room_that_a_load_needs_is_compared_with_what_the_table_takes() {
    assertThat(
            new InProcess(folder)
                .run("doctor", "--store=" + url, "--rate=1000", "--retention=1h")
                .out())
        .containsPattern(
            "(?m)^note +disk +onlyonce_claim takes [0-9]{1,2} MiB, this rate and retention need about "
                + kind.room
                + " MiB; a database does not tell what its disk has free, so see to it that"
                + " [0-9,]+ MiB are");
  }
}
