package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.cli.InProcess.Result;
import dev.onlyonce.store.jdbc.JdbcSchema;
import dev.onlyonce.store.jdbc.SqlDialect;
import dev.onlyonce.testkit.Semantics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a store is named on the command line. */
class StoreOptionTest {
  @TempDir Path folder;

  private Result run(String... arguments) {
    return new InProcess(folder).run(arguments);
  }

  @Test
  void local_stores_are_named_by_their_directory_either_way() {
    try (FilledStore store = FilledStore.at(folder.resolve("store"))) {
      store.done(FilledStore.BILLING, "order-1", "OK");
    }

    Result byState = run("claims", "show", "order-1", "--state=" + folder.resolve("store"));

    assertThat(byState.code()).isZero();
    assertThat(run("claims", "show", "order-1", "--store=local:" + folder.resolve("store")).out())
        .contains("order-1", "done");
    assertThat(run("doctor", "--store=local:" + folder.resolve("store")).out())
        .contains("reads well to its end");
  }

  @Test
  void what_is_no_store_is_refused_with_what_would_be_one() {
    assertThat(run("claims", "stats").err()).contains("say which store: --state DIR or --store");
    assertThat(run("claims", "stats", "--state=a", "--store=local:b").err())
        .contains("--state and --store name a store each");
    assertThat(run("claims", "stats", "--store=redis://:hu/sh@x:y").err())
        .doesNotContain("hu")
        .doesNotContain("sh@");
    for (String address : new String[] {"b", "local:", "http://x", "postgres://u:hush@x/y"}) {
      Result result = run("claims", "stats", "--store=" + address);
      assertThat(result.code()).as(address).isEqualTo(2);
      assertThat(result.err()).contains("is no address of a store").doesNotContain("hush");
    }
    assertThat(run("claims", "stats", "--store=jdbc:oracle:thin:@x").err())
        .contains("there is no driver for jdbc:oracle:thin:@x");
    assertThat(run("claims", "stats", "--store=jdbc:mysql://db.example/shop?user=x").err())
        .contains("there is no driver for jdbc:mysql://db.example/shop")
        .contains("MySQL's is under the GPL and not built in")
        .contains("give jdbc:mariadb://db.example/shop?user=x");
    assertThat(run("claims", "stats", "--store=local:x", "--user=me").err())
        .contains("a local store asks for no user");
    assertThat(run("dedup", "--state=a", "--store=local:b").err())
        .contains("--state and --store name a store each");
    assertThat(run("dedup", "--scope=a").err()).contains("--scope goes with a --store");
  }

  @Test
  void a_prefix_is_for_stores_that_have_none_in_their_address() throws IOException {
    assertThat(run("claims", "stats", "--store=local:x", "--prefix=shop").err())
        .contains("a local store has no prefix; leave out --prefix");
    assertThat(run("doctor", "--state=x", "--prefix=shop").code()).isEqualTo(2);
    assertThat(run("claims", "stats", "--store=tiered:x.yaml", "--prefix=shop").err())
        .contains("names the prefixes of its tiers; leave out --prefix");
    for (String[] words : new String[][] {{"dedup"}, {"dedup", "--state=x"}, {"demo"}}) {
      List<String> all = new ArrayList<>(List.of(words));
      all.add("--prefix=shop");
      assertThat(run(all.toArray(String[]::new)).err()).contains("--prefix goes with");
    }
    Result quoted = run("doctor", "--store=jdbc:h2:mem:x", "--prefix=Robert'); drop");
    assertThat(quoted.code()).isEqualTo(2);
    assertThat(quoted.err()).contains("--prefix: table prefix must be 1 to 40 of a-z");
    Result braced = run("claims", "stats", "--store=redis://127.0.0.1:1", "--prefix=a{b}");
    assertThat(braced.code()).isEqualTo(2);
    assertThat(braced.err()).contains("prefix must be 1 to 64 characters", "'a{b}'");
  }

  @Test
  void the_tables_of_tiers_have_the_prefix_that_their_file_names() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("tiers.yaml"),
            """
            authority: database
            database:
              url: jdbc:h2:mem:tiers
              prefix: shop_
            near:
              memory: 1MiB
            """);
    String store = "--store=tiered:" + file;
    assertThat(run("schema", store).out()).contains("shop_claim").doesNotContain("onlyonce_");
    assertThat(run("schema", store, "--prefix=shop_").err()).contains("leave out --prefix");
    assertThat(run("claims", "stats", store).err())
        .contains("no tables shop_*", "onlyonce schema --dialect h2 --prefix shop_ prints");
    Files.writeString(file, Files.readString(file).replace("shop_", "Shop"));
    Result wrong = run("claims", "stats", store);
    assertThat(wrong.code()).isEqualTo(3);
    assertThat(wrong.err()).contains("line 4: database.prefix cannot be that of tables", "'Shop'");
  }

  @Test
  void a_file_has_a_name() {
    assertThat(run("dedup", "--state=").err()).contains("the name of a file must not be empty");
    assertThat(run("dedup", "--key=/id", "--time=/t", "--window=1h", "--late=").err())
        .contains("the name of a file must not be empty");
  }

  @Test
  void the_doctor_takes_what_goes_together() {
    assertThat(run("doctor", "--store=local:x", "--retention=1h").err())
        .contains("goes with --rate");
    assertThat(run("doctor", "--store=local:x", "--yes").err()).contains("goes with --restored");
    assertThat(run("doctor", "--store=local:x", "--rate=0").err()).contains("at least 1");
    assertThat(run("doctor", "--store=local:x").code()).isEqualTo(4);
  }

  @Test
  void a_schema_is_of_one_database() {
    assertThat(run("schema").err()).contains("say which database");
    assertThat(run("schema", "--dialect=oracle").code()).isEqualTo(2);
    assertThat(run("schema", "--dialect=h2", "--prefix=Robert'); drop").code()).isEqualTo(2);
    assertThat(run("schema", "--dialect=postgresql", "--prefix=shop_").out())
        .contains("shop_claim");
  }

  @Test
  @Semantics(81)
  void the_schema_from_an_older_version_on_brings_its_tables_to_this_one()
      throws IOException, SQLException {
    String url = "jdbc:h2:" + folder.resolve("older");
    String older =
        Files.readString(
            Path.of("../stores/jdbc/src/test/resources/dev/onlyonce/store/jdbc/h2-1.sql"));
    execute(url, older.replaceAll("\\{(\\w+)}", "onlyonce_$1"));
    Result refused = run("claims", "stats", "--store=" + url);
    assertThat(refused.code()).isEqualTo(4);
    assertThat(refused.err()).contains("version 1", "which onlyonce schema --from 1 prints");

    execute(url, run("schema", "--store=" + url, "--from=1").out());
    assertThat(run("claims", "stats", "--store=" + url).code()).isZero();

    assertThat(run("schema", "--dialect=mariadb", "--from=1", "--prefix=shop_").out())
        .isEqualToNormalizingNewlines(JdbcSchema.upgrade(SqlDialect.MARIADB, "shop_"));
    Result never = run("schema", "--dialect=h2", "--from=2");
    assertThat(never.code()).isEqualTo(2);
    assertThat(never.err()).contains("--from must be 1", "to version 2, was 2");
  }

  private static void execute(String url, String script) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String each : script.split(";\n", -1)) {
        if (!each.isBlank()) {
          statement.execute(each);
        }
      }
    }
  }
}
