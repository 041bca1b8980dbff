package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.cli.InProcess.Result;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The program on a store of tiers, by the files of the guide, with the addresses of the test. */
@ExtendWith(Servers.class)
class TieredCommandsTest extends SharedStoreRules {

  private final String url;
  private Path file = Path.of("tiers.yaml");
  private Path behind = Path.of("behind.yaml");
  private String redis = "";

  TieredCommandsTest(Database<PostgreSqlServer> database) {
    this.url = database.url();
  }

  @Override
  String address() {
    return "tiered:" + file;
  }

  @BeforeAll
  void writeFiles(@TempDir Path tiers, RedisServer server) throws IOException, SQLException {
    redis = server.url();
    List<String> examples = examples();
    Files.writeString(tiers.resolve("database.secret"), "not asked for\n");
    file = Files.writeString(tiers.resolve("tiers.yaml"), examples.get(0));
    behind = Files.writeString(tiers.resolve("behind.yaml"), examples.get(1));
    execute(new InProcess(tiers).run("schema", "--store=" + address()).out());
  }

  /** Returns the guide's files; they name the servers of the test. */
  private List<String> examples() throws IOException {
    String guide = Files.readString(Path.of("../docs/guides/tiers.md"));
    List<String> examples = new ArrayList<>();
    for (String each : guide.split("```yaml\n", -1)) {
      examples.add(
          each.substring(0, Math.max(0, each.indexOf("```")))
              .replace("jdbc:postgresql://db.example/shop", url)
              .replaceFirst("(?m)^  user: shop .*\n", "")
              .replace("redis://cache.example:6379", redis));
    }
    return examples.subList(1, examples.size());
  }

  private void execute(String sql) throws SQLException {
    execute(url, sql);
  }

  private static void execute(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private Result run(String... arguments) {
    return new InProcess(folder).run(arguments);
  }

  @Test
  void the_doctor_says_what_the_authority_means_and_looks_at_each_tier() throws IOException {
    assertThat(run("doctor", "--store=" + address()).out())
        .contains("database: it alone says what is new")
        .containsPattern("(?m)^ok +database server")
        .containsPattern("(?m)^ok +redis server")
        .containsPattern("(?m)^ok +tier near +0 of 2,52[0-9] keys answered here [(]0[.]0 %[)], in ")
        .containsPattern("(?m)^ok +tier database +2,5[0-9]{2} of ")
        .containsPattern("(?m)^(ok|note) +tier filter ")
        .containsPattern("(?m)^(ok|note) +copies +[0-9,]+ keys written, ")
        .containsPattern(
            "(?m)^ok +clocks +Redis is 0 ms ahead of the database, the margin is 1,000");
    assertThat(run("doctor", "--json", "--store=" + address()).out())
        .containsPattern("\"topic\":\"tier redis\",.*\"calls\":[1-9]")
        .contains("\"redisAheadMillis\":0");

    String gone = Files.readString(file).replace(redis, "redis://127.0.0.1:1");
    Path without = Files.writeString(folder.resolve("gone.yaml"), gone);
    Files.writeString(folder.resolve("database.secret"), "not asked for\n");
    Result result = run("doctor", "--store=tiered:" + without);
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out())
        .containsPattern("(?m)^unsafe +redis +there are no copies")
        .containsPattern("(?m)^note +tier redis .*; trouble now: ")
        .doesNotContain("clocks");
  }

  @Test
  void who_has_used_the_tiers_says_what_they_did_and_which_keys_are_hot() throws IOException {
    // Of a batch of one there are twenty keys whose duplicates come again and again.
    Result bench = run("bench", "--store=" + address(), "--for=1s", "--threads=2", "--batch=1");
    assertThat(bench.out())
        .as(bench.err())
        .containsPattern("(?m)^ok +tier near +[1-9][0-9,]* of .* keys answered here [(][1-9]")
        .containsPattern("(?m)^ok +hot key +\\S+-known-[0-9]+ in onlyonce/bench was claimed [0-9]");

    Files.writeString(folder.resolve("few"), "a\nb\n");
    String[] dedup = {"dedup", "--store=" + address(), "--scope=few", "--out", "@few.out", "@few"};
    assertThat(run(dedup).err()).contains("onlyonce: tier database: ", "onlyonce: copies: ");
    String[] silent = Arrays.copyOf(dedup, dedup.length + 1);
    silent[dedup.length] = "--stats=none";
    assertThat(run(silent).err()).isEmpty();
  }

  @Test
  void copies_that_may_not_be_written_cost_questions_and_are_told_with_the_rule()
      throws IOException {
    try (RedisServer server = RedisServer.start()) {
      String cli = "redis-cli -p " + server.address().getPort();
      Shell.withProgram(folder).run(cli + " acl setuser clerk on '>pw' '~*' +@all -hset");
      String clerk = server.url().replace("//", "//clerk:pw@");
      Path own =
          Files.writeString(
              folder.resolve("clerk.yaml"), Files.readString(file).replace(redis, clerk));
      Files.writeString(folder.resolve("database.secret"), "not asked for\n");
      Result result = run("doctor", "--store=tiered:" + own);
      assertThat(result.code()).as(result.err()).isEqualTo(1);
      assertThat(result.out())
          .containsPattern(
              "(?m)^unsafe +redis permissions +there are no copies, .* ACL SETUSER clerk [+]hset$")
          .containsPattern("(?m)^note +tier redis .*trouble now: .* ACL SETUSER clerk [+]hset$")
          .containsPattern("(?m)^ok +one key ");
      assertThat(result.err()).isEmpty();

      Files.writeString(folder.resolve("one"), "a\n");
      String[] dedup = {"dedup", "--store=tiered:" + own, "--scope=denied", "--out", "@o", "@one"};
      assertThat(run(dedup).code()).isZero();
      assertThat(folder.resolve("o")).hasContent("a\n");
    }
  }

  @Test
  void that_redis_forgets_copies_is_no_warning_and_the_doctor_says_what_it_costs()
      throws IOException {
    try (RedisServer server = RedisServer.start(Map.of("appendfsync", "everysec"))) {
      Path own =
          Files.writeString(
              folder.resolve("everysec.yaml"), Files.readString(file).replace(redis, server.url()));
      Files.writeString(folder.resolve("database.secret"), "not asked for\n");
      Shell shell = Shell.withProgram(folder);
      String store = " --stats=none --scope=copies --store=tiered:" + own;
      assertThat(shell.run("seq 3 | $once dedup" + store).err()).isEmpty();
      Result doctor = run("doctor", "--store=tiered:" + own);
      assertThat(doctor.out())
          .containsPattern("(?m)^note +redis settings +Redis may lose copies, as it is set: ")
          .contains("appendfsync everysec\n")
          .doesNotContain("whose keys are new");
    }
  }

  @Test
  void another_authority_is_refused_until_the_tiers_are_rebuilt() {
    assertThat(run("doctor", "--store=" + address()).out()).contains("it alone says what is new");
    Result refused = run("claims", "stats", "--store=tiered:" + behind);
    assertThat(refused.code()).isEqualTo(4);
    assertThat(refused.err())
        .contains("authority: database", "rebuild the tiers", "onlyonce doctor --rebuild --yes");
    assertThat(run("doctor", "--rebuild", "--store=tiered:" + behind).out()).contains("say --yes");
    assertThat(run("doctor", "--rebuild", "--store=" + url).err()).contains("only the tiers");
  }

  @Test
  void neither_redis_as_the_authority_nor_the_database_behind_is_used_alone()
      throws IOException, SQLException {
    String h2 = "jdbc:h2:" + folder.resolve("behind");
    Path own =
        Files.writeString(
            folder.resolve("own.yaml"),
            """
            authority: redis, database behind
            database:
              url: %s
            redis:
              url: %s
              prefix: onlyonce
            """
                .formatted(h2, redis));
    execute(h2, run("schema", "--store=tiered:" + own).out());
    Files.writeString(folder.resolve("one"), "a\n");
    Result opened = run("dedup", "--store=tiered:" + own, "--scope=jobs", "--out", "@once", "@one");
    assertThat(opened.code()).as(opened.err()).isZero();
    for (String alone : List.of(redis, h2)) {
      Result refused = run("claims", "stats", "--store=" + alone);
      assertThat(refused.code()).as(alone).isEqualTo(4);
      assertThat(refused.err()).contains("must not be used alone", "tiered:FILE");
    }
    assertThat(run("claims", "stats", "--store=tiered:" + own).code()).isZero();

    Path replicated = folder.resolve("replicated.yaml");
    Files.writeString(replicated, Files.readString(own) + "  replicas: 1\n");
    Result without = run("doctor", "--restored", "--yes", "--store=tiered:" + replicated);
    assertThat(without.code()).as("there is no replica").isEqualTo(4);
    assertThat(without.err()).contains("replica");
  }

  @Test
  void looking_changes_nothing() throws IOException, SQLException {
    String h2 = "jdbc:h2:" + folder.resolve("looked-at");
    Path own =
        Files.writeString(
            folder.resolve("looked-at.yaml"),
            "authority: database\ndatabase:\n  url: %s\nnear:\n  memory: 1MiB\n  kept: 1s\n"
                .formatted(h2));
    execute(h2, run("schema", "--store=tiered:" + own).out());
    assertThat(run("claims", "stats", "--store=tiered:" + own).code()).isZero();
    Result plain = run("claims", "list", "--store=" + h2);
    assertThat(plain.out()).doesNotContain("onlyonce/tiers");
  }

  @Test
  void what_is_wrong_in_the_file_is_told_with_line_and_field() throws IOException {
    Map<String, String> wrong =
        Map.of(
            "authority: redis\n",
                "line 1: authority must be 'database' or 'redis, database behind'",
            "authority: database\n", "line 1: database is missing",
            "authority: database\ndatabase:\n  url: jdbc:x\nnear: 5\n",
                "line 4: near must have fields below it",
            "authority: database\ndatabase:\n  url: jdbc:x\nnear:\n  memory: 5\n",
                "line 5: near.memory must be a size such as 512KiB",
            "authority: database\ndatabase:\n  url: jdbc:x\n  pasword: hush\n",
                "line 4: database.pasword is not known; there may be password-env",
            "authority: database\ndatabase:\n  url: redis://u:hush@h\nnear:\n  memory: 1MiB\n",
                "line 3: database.url must begin with jdbc:",
            "authority: database\nauthority: database\n", "line 2: authority is there twice",
            "authority: [database\n", "line 2:",
            "", "is empty");
    for (Map.Entry<String, String> each : wrong.entrySet()) {
      Path bad = Files.writeString(folder.resolve("bad.yaml"), each.getKey());
      Result result = run("claims", "stats", "--store=tiered:" + bad);
      assertThat(result.code()).as(each.getKey() + result.err()).isEqualTo(3);
      assertThat(result.err()).contains("bad.yaml", each.getValue()).doesNotContain("hush");
    }
    assertThat(run("claims", "stats", "--store=tiered:/nowhere.yaml").code()).isEqualTo(4);
    assertThat(run("claims", "stats", "--user=x", "--store=" + address()).err())
        .contains("leave out --user");
  }
}
