package dev.onlyonce.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.Await;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/**
 * A master dies under load, after its replica has been cut off: a kill alone loses nothing, since
 * the kernel still delivers what was on its way to the replica.
 */
@ExtendWith(Servers.class)
class FailoverTest {

  private static final Duration GUARD = Duration.ofMinutes(1);
  private static final Duration CUT_OFF = Duration.ofMillis(700);

  /** What came of what had been answered. */
  private record Losses(int answered, int done, int held, int smallerTokens) {}

  @Test
  @Semantics({67, 96})
  void without_waiting_a_failover_loses_the_last_answers_and_no_token_is_given_twice(
      RedisCluster cluster, TestReporter reporter) {
    Losses losses = losses(cluster, RedisStore.at(cluster.urls().toArray(String[]::new)), reporter);
    assertThat(losses.done).as("keys that were done and are new").isPositive();
    assertThat(losses.smallerTokens).as("second grants whose token is not larger").isZero();
  }

  @Test
  @Semantics({67, 96})
  void what_a_replica_was_waited_for_is_there_after_a_failover(
      RedisCluster cluster, TestReporter reporter) {
    RedisStore.Builder builder = RedisStore.at(cluster.urls().toArray(String[]::new));
    builder.waitForReplicas(1, Duration.ofMillis(200));
    Losses losses = losses(cluster, builder, reporter);
    assertThat(losses.done).as("keys that were done and are new").isZero();
    assertThat(losses.held).as("claims that were granted a second time").isZero();
  }

  private static Losses losses(
      RedisCluster cluster, RedisStore.Builder builder, TestReporter reporter) {
    String name = "load-" + System.nanoTime();
    try (RedisStore store = builder.patience(Duration.ofSeconds(20)).open()) {
      RedisServer victim = cluster.masterOf("{" + tagOfSomeShard(cluster) + "}");
      Load load = new Load(store, name, 3);
      try (load) {
        Await.until("some answers", GUARD, () -> load.answered() > 2_000);
        cutOffReplicas(victim);
        LockSupport.parkNanos(CUT_OFF.toNanos());
        victim.kill();
        Await.until("a new master", GUARD, () -> mastersRunning(cluster) == 3);
        victim.restart(); // so that the new master has a replica that can be waited for
        Await.until("the old master to follow", GUARD, () -> follows(victim));
        int before = load.answered();
        Await.until("answers by all", GUARD, () -> load.answered() > before + 1_000);
      }
      assertThat(load.surprises).isEmpty();
      Losses losses = count(store, load);
      reporter.publishEntry("losses", losses + ", failed calls " + load.failures.size());
      return losses;
    }
  }

  private static String tagOfSomeShard(RedisCluster cluster) {
    for (RedisServer each : cluster.nodes()) {
      for (String key : Raw.ask(each, it -> it.keys("onlyonce:{*}"))) {
        return key.substring(key.indexOf('{') + 1, key.indexOf('}'));
      }
    }
    throw new AssertionError("no shard is there");
  }

  /** The replica cannot come back: it does not know the password. */
  private static void cutOffReplicas(RedisServer master) {
    try (Jedis jedis = new Jedis(URI.create(master.url()))) {
      jedis.configSet("requirepass", "cut-off");
      jedis.auth("cut-off");
      jedis.clientKill(new ClientKillParams().type(ClientType.REPLICA));
    }
  }

  private static long mastersRunning(RedisCluster cluster) {
    return cluster.nodes().stream()
        .filter(RedisServer::isRunning)
        .filter(it -> role(it).equals("master"))
        .count();
  }

  private static boolean follows(RedisServer server) {
    String info = Raw.ask(server, it -> it.info("replication"));
    return info.contains("role:slave") && info.contains("master_link_status:up");
  }

  private static String role(RedisServer server) {
    return (String) Raw.ask(server, it -> it.role()).get(0);
  }

  private static Losses count(RedisStore store, Load load) {
    int[] smaller = new int[1];
    int done = grantedAgain(store, load.done, smaller);
    int held = grantedAgain(store, load.held, smaller);
    return new Losses(load.done.size() + load.held.size(), done, held, smaller[0]);
  }

  private static int grantedAgain(RedisStore store, Collection<Claim> known, int[] smaller) {
    List<Claim> claims = new ArrayList<>(known);
    List<ClaimRequest> requests = claims.stream().map(it -> Claims.request(it.key())).toList();
    List<Answer> answers = store.claim(requests);
    int granted = 0;
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i) instanceof Answer.Claimed again) {
        granted++;
        smaller[0] += again.claim().token() <= claims.get(i).token() ? 1 : 0;
      }
    }
    return granted;
  }
}
