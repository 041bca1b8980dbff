package dev.onlyonce.bench;

import dev.onlyonce.services.Server;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What several contenders do with a database of one kind, each in a JVM and in an empty database of
 * its own, on one server. The first contender is the one that the others are compared with.
 *
 * @param stored how many keys are there before
 * @param seconds of warming up, and as many of measuring
 */
record DatabaseTable(
    String title,
    String goal,
    DatabaseKind kind,
    int stored,
    int seconds,
    List<String[]> contenders)
    implements Table {

  private static final int GIGABYTES = 1;

  /** Nanoseconds for one item. */
  record Score(double nanos, double cpuNanos) {}

  @Override
  public String measure(int rounds) throws Exception {
    List<List<Score>> scores = new ArrayList<>();
    String version;
    try (Server server = kind.start(GIGABYTES)) {
      version = DatabaseKind.version(kind.newDatabase(server).url());
      for (int round = 0; round < rounds; round++) {
        List<Score> ofRound = new ArrayList<>();
        for (String[] contender : contenders) {
          System.err.printf("%s, round %d: %s%n", title, round + 1, contender[0]);
          String url = kind.newDatabase(server).url();
          DatabaseWork.prepare(contender[1], url, stored);
          ofRound.add(run(contender[1], url, stored, seconds));
        }
        scores.add(ofRound);
      }
    }
    List<String> names = contenders.stream().map(it -> it[0]).toList();
    return heading(title, goal, version) + table(names, scores);
  }

  static String heading(String title, String goal, String version) {
    String wish = goal.isEmpty() ? "" : " (goal: " + goal + ")";
    return "**%s**%s, version %s%n%n".formatted(title, wish, version);
  }

  static String table(List<String> names, List<List<Score>> scores) {
    StringBuilder table = new StringBuilder();
    table.append(
        """
        | | a second | times the first | ns on the clock | ns of the client's CPU |
        |---|---|---|---|---|
        """);
    for (int i = 0; i < names.size(); i++) {
      int index = i;
      table.append(
          "| %s | %s | %s | %s | %s |%n"
              .formatted(
                  names.get(i),
                  spread("%,.0f", scores, it -> 1e9 / it.get(index).nanos()),
                  spread("%.2f", scores, it -> it.get(index).nanos() / it.get(0).nanos()),
                  spread("%,.0f", scores, it -> it.get(index).nanos()),
                  spread("%,.0f", scores, it -> it.get(index).cpuNanos())));
    }
    return table.append('\n').toString();
  }

  private static String spread(
      String format, List<List<Score>> rounds, ToDoubleFunction<List<Score>> figure) {
    return Spread.of(format, rounds.stream().mapToDouble(figure).toArray());
  }

  /** Runs the work once, in a JVM of its own. */
  static Score run(String work, String url, int stored, int seconds) throws IOException {
    String answer =
        Fork.run(
            List.of("-Xmx1g", "-XX:+UseParallelGC"),
            DatabaseRun.class,
            work,
            url,
            "" + stored,
            "" + seconds,
            "" + seconds);
    String[] figures = answer.split(" ", -1);
    if (figures.length != 2) {
      throw new IOException(work + " was not measured: see standard error");
    }
    return new Score(Double.parseDouble(figures[0]), Double.parseDouble(figures[1]));
  }
}
