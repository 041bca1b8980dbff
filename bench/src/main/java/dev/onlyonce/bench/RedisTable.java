package dev.onlyonce.bench;

import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.RedisServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What is compared with what on a Redis server, or on a cluster. The first contender is the one
 * that the others are compared with.
 *
 * @param goal in words; empty if none was set
 */
record RedisTable(String title, String goal, boolean onCluster, List<Contestant> contenders)
    implements Table {

  /** Nothing is written to a disk: what is compared is the work for a key. */
  static final Map<String, String> SETTINGS = Map.of("appendonly", "no");

  RedisTable(String title, String goal, boolean onCluster, Contestant... contenders) {
    this(title, goal, onCluster, List.of(contenders));
  }

  /** One that is compared. */
  record Contestant(String name, RedisWork work, String peer) {}

  private record Score(double nanos, double cpuNanos, double serverNanos) {}

  /** Runs the contenders in interleaved rounds, each in a JVM of its own. */
  @Override
  public String measure(int rounds) throws IOException {
    if (onCluster) {
      try (RedisCluster cluster = RedisCluster.start(SETTINGS)) {
        return measure(rounds, cluster.urls());
      }
    }
    try (RedisServer server = RedisServer.start(SETTINGS)) {
      return measure(rounds, List.of(server.url()));
    }
  }

  private String measure(int rounds, List<String> uris) throws IOException {
    List<List<Score>> scores = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      List<Score> ofRound = new ArrayList<>();
      for (Contestant each : contenders) {
        System.err.printf("%s, round %d: %s%n", title, round + 1, each.name);
        ofRound.add(run(each, uris));
      }
      scores.add(ofRound);
    }
    return table(scores, new RedisNodes(uris).version());
  }

  private static Score run(Contestant contender, List<String> uris) throws IOException {
    List<String> args = new ArrayList<>(List.of(contender.work.name(), contender.peer));
    args.addAll(uris);
    List<String> flags = List.of(Contender.JVM.split(" "));
    String[] figures = Fork.run(flags, RedisRun.class, args.toArray(String[]::new)).split(" ", -1);
    if (figures.length != 3) {
      throw new IOException(contender.name + " was not measured: see standard error");
    }
    return new Score(
        Double.parseDouble(figures[0]),
        Double.parseDouble(figures[1]),
        Double.parseDouble(figures[2]));
  }

  private String table(List<List<Score>> scores, String version) {
    StringBuilder table = new StringBuilder();
    table.append("**%s**%s%n%n".formatted(title, goal.isEmpty() ? "" : " (goal: " + goal + ")"));
    table.append(
        "| Redis %s | ns on the clock | times the first | ns of the servers' CPU | times the first"
                .formatted(version)
            + " | ns of the client's CPU |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < contenders.size(); i++) {
      int index = i;
      table.append(
          "| %s | %s | %s | %s | %s | %s |%n"
              .formatted(
                  contenders.get(i).name,
                  spread("%,.0f", scores, it -> it.get(index).nanos),
                  spread("%.2f", scores, it -> it.get(index).nanos / it.get(0).nanos),
                  spread("%,.0f", scores, it -> it.get(index).serverNanos),
                  spread("%.2f", scores, it -> it.get(index).serverNanos / it.get(0).serverNanos),
                  spread("%,.0f", scores, it -> it.get(index).cpuNanos)));
    }
    return table.append('\n').toString();
  }

  private static String spread(
      String format, List<List<Score>> rounds, ToDoubleFunction<List<Score>> figure) {
    return Spread.of(format, rounds.stream().mapToDouble(figure).toArray());
  }
}
