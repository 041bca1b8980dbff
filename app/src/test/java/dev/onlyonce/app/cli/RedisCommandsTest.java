package dev.onlyonce.app.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.app.cli.InProcess.Result;
import dev.onlyonce.app.store.OpenStore;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.TierMark;
import dev.onlyonce.store.redis.RedisStore;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The program on a store in Redis. */
@ExtendWith(Servers.class)
class RedisCommandsTest extends SharedStoreRules {

  private static final Duration GUARD = Duration.ofMinutes(1);
  private static final Duration DAY = Duration.ofDays(1);

  private final String url;

  RedisCommandsTest(Database<RedisServer> database) {
    this.url = database.url();
  }

  @Override
  String address() {
    return url;
  }

  @Test
  void settings_that_forget_are_named() {
    try (RedisServer server =
        RedisServer.start(
            Map.of("appendonly", "no", "maxmemory", "64mb", "maxmemory-policy", "noeviction"))) {
      Result result =
          new InProcess(folder)
              .run("doctor", "--store=" + server.url(), "--rate=1000", "--retention=7d");

      assertThat(result.code()).isEqualTo(1);
      assertThat(result.out())
          .contains("has appendonly no: after a restart")
          .containsPattern("(?m)^unsafe  window +the memory holds what comes in 0[.]");
    }
    try (RedisServer server =
        RedisServer.start(Map.of("maxmemory", "64mb", "maxmemory-policy", "allkeys-lru"))) {
      Result result = new InProcess(folder).run("doctor", "--store=" + server.url());

      assertThat(result.code()).isEqualTo(4);
      assertThat(result.err()).contains("has maxmemory-policy allkeys-lru");
    }
  }

  @Test
  void what_is_done_is_listed_without_its_key_and_no_prefix_finds_it() {
    try (RedisServer server = RedisServer.start()) {
      try (RedisStore store = RedisStore.at(server.url()).open()) {
        fill(store, 1_000);
      }
      String[] list = {"claims", "list", "--limit=1", "--store=" + server.url(), "--json"};
      assertThat(new InProcess(folder).run(list).out())
          .contains("\"key\":null", "\"state\":\"done\"");
      list[4] = "--key-prefix=";
      assertThat(new InProcess(folder).run(list).out()).containsPattern("(?m)^done .* -$");
      list[4] = "--key-prefix=nu";
      assertThat(new InProcess(folder).run(list).out()).doesNotContain("done");
    }
  }

  /** What its keys take is no less room for keys: they go when new ones come. */
  @Test
  @Semantics(77)
  void a_memory_that_is_large_enough_is_not_called_unsafe_when_it_has_filled() {
    try (RedisServer server = RedisServer.start()) {
      try (RedisStore store = RedisStore.at(server.url()).open()) {
        fill(store, 30_000);
      }
      limitMemory(server, 1.5);
      String[] examine = {"doctor", "--store=" + server.url(), "--rate=30", "--retention=1000s"};
      assertThat(new InProcess(folder).run(examine).out())
          .containsPattern("(?m)^ok +window +the memory holds what comes in 0[.]");
      examine[2] = "--rate=90";
      assertThat(new InProcess(folder).run(examine).out())
          .containsPattern("(?m)^unsafe  window +the memory holds");

      redis(server, "acl setuser clerk on '>pw' '~*' +@all -hlen");
      examine[1] = "--store=" + server.url().replace("//", "//clerk:pw@");
      assertThat(new InProcess(folder).run(examine).out())
          .containsPattern("(?m)^note +window .*its records could not be counted");
    }
  }

  @Test
  @Semantics(77)
  void the_memory_of_a_store_with_a_compact_tier_is_not_judged_by_keys_that_are_not_in_it() {
    try (RedisServer server = RedisServer.start()) {
      RedisStore.at(server.url()).compactTier(Duration.ofMinutes(1), 1_000).open().close();
      limitMemory(server, 1.5);
      String store = "--store=" + server.url();
      assertThat(new InProcess(folder).run("doctor", store, "--rate=1000").out())
          .containsPattern("(?m)^note +window .* bytes; those in the compact tier take 25");
    }
  }

  /** Completes so many keys. */
  private static void fill(RedisStore store, int keys) {
    for (int i = 0; i < keys; i += 1_000) {
      store.claim(
          IntStream.range(i, i + 1_000)
              .mapToObj(
                  it ->
                      ClaimRequest.of(Scope.of("s"), Key.of("key-" + it), it, DAY, Lapse.TAKE)
                          .settlingNow(dev.onlyonce.Result.NONE, DAY))
              .toList());
    }
  }

  /** Gives a server so many times the memory that it uses. */
  private void limitMemory(RedisServer server, double times) {
    Matcher used = Pattern.compile("used_memory:(\\d+)").matcher(redis(server, "info memory"));
    assertThat(used.find()).isTrue();
    long most = (long) (times * Long.parseLong(used.group(1)));
    assertThat(redis(server, "config set maxmemory " + most)).isEqualTo("OK\n");
  }

  @Test
  void a_store_with_a_prefix_of_its_own_is_reached_by_it() {
    try (RedisServer server = RedisServer.start()) {
      InProcess program = new InProcess(folder);
      String store = "--store=" + server.url();
      String prefix = "--prefix=shop";
      try (RedisStore shop = RedisStore.at(server.url()).prefix("shop").open()) {
        shop.claim(List.of(ClaimRequest.of(Scope.of("s"), Key.of("order-1"), 1, DAY, Lapse.TAKE)));
      }
      assertThat(program.run("claims", "show", "order-1", store, prefix).out()).contains("claimed");
      assertThat(program.run("claims", "stats", store).err())
          .contains(
              "there is no store of OnlyOnce at " + server.url() + " under the prefix onlyonce");
      assertThat(program.run("doctor", "--restored", store, prefix).out())
          .contains("1 key would be put in doubt");
      assertThat(program.run("claims", "release", "order-1", store, prefix).code()).isZero();
      program.write("in", "a\na\n");
      program.run("dedup", store, prefix, "--scope=s", "--out", "@out", "@in");
      assertThat(folder.resolve("out")).hasContent("a\n");
      assertThat(program.run("doctor", store, prefix).out()).containsPattern("(?m)^ok +one key ");
      redis(server, "acl setuser clerk on '>pw' '~onlyonce:*' +@all");
      String clerk = "--store=" + server.url().replace("//", "//clerk:pw@");
      assertThat(program.run("doctor", clerk, prefix).out())
          .contains("ACL SETUSER clerk ~shop:*\n");
      String[] demo = {"demo", store, prefix, "--callbacks=300", "--kills=1", "--json"};
      assertThat(program.run(demo).out())
          .containsPattern("\"run\":\"onlyonce\"[^}]*\"doubled\":0,\"lost\":0");
      assertThat(redis(server, "keys 'onlyonce:*'").strip()).isEmpty();
    }
  }

  @Test
  void reading_and_examining_an_empty_redis_make_no_store() {
    try (RedisServer server = RedisServer.start()) {
      String store = "--store=" + server.url();
      Result stats = new InProcess(folder).run("claims", "stats", store);
      assertThat(stats.code()).isEqualTo(4);
      assertThat(stats.err()).contains("there is no store of OnlyOnce at " + server.url());

      Result doctor = new InProcess(folder).run("doctor", store, "--rate=10");
      assertThat(doctor.out()).contains("there is none yet, and none was made");
      assertThat(new InProcess(folder).run("doctor", "--restored", store).code()).isEqualTo(4);
      assertThat(RedisStore.at(server.url()).openIfThere()).isEmpty();
    }
  }

  @Test
  void shards_that_are_lost_are_made_anew_by_an_operator_only() {
    try (RedisServer server = RedisServer.start()) {
      InProcess program = new InProcess(folder);
      String store = "--store=" + server.url();
      assertThat(program.run("doctor", "--remake-lost-shards", "--yes", store).err())
          .contains("there is no store of OnlyOnce");
      RedisStore.at(server.url()).shards(2).open().close();
      program.write("in", "a\n");
      program.run("dedup", store, "--scope=s", "--out", "@out", "@in");
      String shard = redis(server, "keys 'onlyonce:{*}'").lines().findFirst().orElseThrow();
      redis(server, "del " + shard);
      for (String command : List.of("claims stats", "doctor")) {
        String[] words = (command + " " + store).split(" ");
        Result refused = program.run(words);
        assertThat(refused.code()).isEqualTo(4);
        assertThat(refused.err()).contains(shard, "doctor --remake-lost-shards");
      }
      assertThat(program.run("doctor", "--remake-lost-shards", store).out()).contains("say --yes");
      assertThat(redis(server, "exists " + shard)).isEqualTo("0\n");
      Result made = program.run("doctor", "--remake-lost-shards", "--yes", store);
      assertThat(made.out()).as(made.err()).contains("all shards of", "are new");
      assertThat(program.run("claims", "stats", store).code()).isZero();
    }
  }

  @Test
  @Semantics({68, 102})
  void shards_of_a_redis_that_decides_for_tiers_are_not_made_anew() {
    try (RedisServer server = RedisServer.start()) {
      try (RedisStore store = RedisStore.at(server.url()).shards(2).open()) {
        decideForTiers(store);
      }
      for (String shard : redis(server, "keys 'onlyonce:{*}'").lines().toList()) {
        redis(server, "del " + shard);
        Result refused =
            new InProcess(folder)
                .run("doctor", "--remake-lost-shards", "--yes", "--store=" + server.url());
        assertThat(refused.code()).as(refused.out()).isEqualTo(4);
        assertThat(refused.err()).contains(shard, "doctor --rebuild --store tiered:FILE.yaml");
        assertThat(redis(server, "exists " + shard)).isEqualTo("0\n");
      }
    }
  }

  /** As the tiered store does, whose Redis is the authority. */
  private static void decideForTiers(RedisStore store) {
    dev.onlyonce.Result says =
        new dev.onlyonce.Result.Value("text/plain", "redis, database behind #1".getBytes(US_ASCII));
    store.claim(
        List.of(
            ClaimRequest.of(TierMark.ID.scope(), TierMark.ID.key(), 1, DAY, Lapse.PARK)
                .settlingNow(says, DAY)));
  }

  @Test
  void permissions_that_a_store_lacks_are_named_with_what_grants_them() throws IOException {
    try (RedisServer server = RedisServer.start()) {
      InProcess program = new InProcess(folder);
      RedisStore.at(server.url()).open().close();
      String clerk = "--store=" + server.url().replace("//", "//clerk:pw@");
      redis(server, "acl setuser clerk on '>pw' '~other:*' +@all");
      assertThat(program.run("doctor", clerk).out())
          .contains("forget keys; ACL SETUSER clerk ~onlyonce:*\n")
          .contains("no key was tried");
      for (String command : List.of("hdel", "evalsha", "hset", "hscan", "time")) {
        redis(server, "acl setuser clerk reset on '>pw' '~*' +@all -" + command);
        Result denied = program.run("doctor", clerk);
        assertThat(denied.code()).as(command + denied.err()).isEqualTo(1);
        assertThat(denied.out())
            .containsPattern(
                "(?m)^broken  permissions +clerk may not do at 127.* what a store does")
            .contains("ACL SETUSER clerk +" + command + "\n")
            .contains("no key was tried");
      }
      redis(server, "acl setuser clerk reset on '>pw' '~onlyonce:*' " + guideRules());
      assertThat(program.run("doctor", clerk).out())
          .doesNotContain("permissions")
          .containsPattern("(?m)^ok +one key ");
      redis(server, "acl setuser clerk reset on '>pw' '~onlyonce:*' +@all -info -config");
      Result blind = program.run("doctor", clerk);
      assertThat(blind.code()).isEqualTo(1);
      assertThat(blind.out())
          .contains("does not let us read INFO: whether there are replicas is not known")
          .contains("does not let us read settings (CONFIG is barred), so that they are unknown")
          .containsPattern("(?m)^note +server .*maxmemory-policy unknown, appendonly unknown, ")
          .doesNotContain("null")
          .doesNotContain("permissions")
          .containsPattern("(?m)^ok +one key ");
      assertThat(redis(server, "exists onlyonce:permissions")).isEqualTo("0\n");

      Path replicated =
          Files.writeString(
              folder.resolve("replicated.yaml"),
              """
              authority: redis, database behind
              database:
                url: jdbc:h2:mem:replicated
              redis:
                url: %s
                prefix: onlyonce
                replicas: 1
              """
                  .formatted(server.url().replace("//", "//clerk:pw@")));
      redis(server, "acl setuser clerk reset on '>pw' '~onlyonce:*' +@all -wait");
      assertThat(program.run("doctor", "--store=tiered:" + replicated).out())
          .contains("ACL SETUSER clerk +wait\n");
    }
  }

  @Test
  void who_is_refused_a_command_is_told_the_rule_whatever_he_runs() {
    try (RedisServer server = RedisServer.start()) {
      InProcess program = new InProcess(folder);
      RedisStore.at(server.url()).open().close();
      program.write("in", "a\n");
      String clerk = "--store=" + server.url().replace("//", "//clerk:pw@");
      List<String[]> commands =
          List.of(
              new String[] {"claims", "stats", clerk},
              new String[] {"claims", "show", "a", clerk},
              new String[] {"dedup", clerk, "--scope=s", "--out", "@out", "@in"});
      for (String rule : List.of("eval", "hgetall", "time")) {
        redis(server, "acl setuser clerk reset on '>pw' '~*' +@all -evalsha -" + rule);
        for (String[] each : commands) {
          Result refused = program.run(each);
          if (refused.code() != 0) {
            assertThat(refused.code()).isEqualTo(4);
            assertThat(refused.err()).contains("ACL SETUSER clerk ").contains("+" + rule);
          }
        }
        assertThat(program.run(commands.get(2)).code()).as(rule).isEqualTo(4);
      }
      redis(server, "acl setuser clerk reset on '>pw' '~other:*' +@all");
      assertThat(program.run(commands.get(0)).err()).contains("ACL SETUSER clerk ~onlyonce:*\n");
    }
  }

  @Test
  void a_run_that_a_full_store_ends_has_completed_what_it_has_written() throws IOException {
    try (RedisServer server = RedisServer.start()) {
      RedisStore.at(server.url()).open().close();
      limitMemory(server, 1.5);
      List<String> keys = IntStream.range(10_000, 50_000).mapToObj(String::valueOf).toList();
      Files.write(folder.resolve("full"), keys);
      InProcess program = new InProcess(folder);
      String store = "--store=" + server.url();

      Result full = program.run("dedup", store, "--scope=full", "--out", "@before", "@full");
      assertThat(full.code()).isEqualTo(4);
      List<String> passed = new ArrayList<>(Files.readAllLines(folder.resolve("before")));
      assertThat(passed).as(full.err()).isNotEmpty().hasSizeLessThan(keys.size());

      redis(server, "config set maxmemory 0");
      assertThat(program.run("dedup", store, "--scope=full", "--out", "@after", "@full").code())
          .isZero();
      passed.addAll(Files.readAllLines(folder.resolve("after")));
      assertThat(passed).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(keys);
    }
  }

  @Test
  void claims_are_renewed_while_nobody_reads_the_output() throws Exception {
    writeInput(20_000);
    Process waiting = command("renew", "-").start();
    awaitMoreKeysThanAPipeHolds("renew", waiting);
    Await.until("claims", GUARD, () -> firstEndOfLease("renew").isPresent());
    long first = firstEndOfLease("renew").orElseThrow();
    Await.until("a renewal", GUARD, () -> firstEndOfLease("renew").orElse(0) > first);
    assertThat(waiting.isAlive()).isTrue();
    waiting.getInputStream().transferTo(OutputStream.nullOutputStream());
    assertThat(waiting.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(waiting.exitValue()).isZero();
    assertThat(claimed("renew")).isZero();
  }

  private OptionalLong firstEndOfLease(String scope) {
    Query claimed = new Query(Scope.of(scope), Set.of(ClaimState.CLAIMED), false, Limits.BATCH);
    try (OpenStore store = change()) {
      return store.reader().list(claimed, null).records().stream()
          .mapToLong(ClaimRecord::leaseUntilMillis)
          .min();
    }
  }

  @Test
  void what_makes_servers_forget_is_said_once_to_who_writes_and_by_the_doctor_as_a_finding() {
    try (RedisServer server = RedisServer.start(Map.of("appendfsync", "everysec"))) {
      Shell shell = Shell.withProgram(folder);
      String store = " --store=" + server.url();
      String said = shell.run("seq 3 | $once dedup --scope=s" + store).err();
      assertThat(said).containsOnlyOnce("has appendfsync everysec: a loss of power");
      assertThat(shell.run("$once claims stats" + store).err()).isEmpty();
      Shell.Result doctor = shell.run("$once doctor" + store);
      assertThat(doctor.err()).isEmpty();
      assertThat(doctor.out()).containsOnlyOnce("has appendfsync everysec: a loss of power");
    }
  }

  /** Returns the commands that the guide says a store needs, as rules of an ACL. */
  private static String guideRules() throws IOException {
    String row =
        Files.readString(Path.of("../docs/guides/redis.md"))
            .lines()
            .filter(it -> it.startsWith("| an ACL without "))
            .findFirst()
            .orElseThrow();
    String commands = row.substring(0, row.indexOf(", with `waitForReplicas`"));
    return Pattern.compile("`(\\w+)`")
        .matcher(commands)
        .results()
        .map(it -> "+" + it.group(1))
        .collect(Collectors.joining(" "));
  }

  private String redis(RedisServer server, String command) {
    String cli = "redis-cli -p " + server.address().getPort() + " ";
    return Shell.withProgram(folder).run(cli + command).out();
  }

  @Test
  void a_store_with_a_compact_tier_is_opened_without_being_told_and_examined() {
    try (RedisServer server = RedisServer.start()) {
      Duration after = Duration.ofMinutes(1);
      RedisStore.at(server.url()).compactTier(after, 1_000).open().close();
      InProcess program = new InProcess(folder);
      String store = "--store=" + server.url();
      program.write("in", "a\nb\na\n");
      Result dedup = program.run("dedup", store, "--scope=s", "--out", "@out", "@in");
      assertThat(dedup.code()).as(dedup.err()).isZero();
      assertThat(folder.resolve("out")).hasContent("a\nb\n");
      assertThat(program.run("doctor", store).out())
          .containsPattern(
              "(?m)^ok +compact tier +0 keys are in it, it was made for 1,008; keys move there PT1M");
    }
  }

  @Test
  void the_program_speaks_tls_to_a_server_whose_certificate_it_trusts() {
    try (RedisServer server = RedisServer.startWithTls()) {
      String trust =
          "-Djavax.net.ssl.trustStorePassword=changeit -Djavax.net.ssl.trustStore="
              + server.trustStore();
      String demo = "seq 5 | $once dedup --scope=tls --store=" + server.tlsUrl();
      Shell.Result trusting =
          Shell.withProgram(folder).set("JDK_JAVA_OPTIONS", trust).run(demo + "; " + demo);
      assertThat(trusting.out()).as(trusting.err()).isEqualTo("1\n2\n3\n4\n5\n");

      Shell.Result doubting = Shell.withProgram(folder).run(demo);
      assertThat(doubting.code()).isEqualTo(4);
      assertThat(doubting.err())
          .contains("is not one that Java trusts", "-Djavax.net.ssl.trustStore");
    }
  }

  @Test
  void an_address_that_cannot_be_read_is_told_without_its_password() {
    Result result =
        new InProcess(folder).run("claims", "stats", "--store=redis://u:hush@127.0.0.1:notaport");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).doesNotContain("hush");
  }
}
