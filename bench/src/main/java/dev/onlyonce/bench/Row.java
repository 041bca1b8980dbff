package dev.onlyonce.bench;

import dev.onlyonce.bench.Contender.Score;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.openjdk.jmh.runner.RunnerException;

/**
 * What is compared with what. The first contender is the one that the others are compared with.
 *
 * @param goal in words; empty if none was set
 */
record Row(String title, String goal, List<Contender> contenders) implements Table {

  Row(String title, String goal, Contender... contenders) {
    this(title, goal, List.of(contenders));
  }

  /** Runs the contenders in interleaved rounds. */
  @Override
  public String measure(int rounds) throws RunnerException {
    List<List<Score>> scores = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      List<Score> ofRound = new ArrayList<>();
      for (Contender contender : contenders) {
        System.err.printf("%s, round %d: %s%n", title, round + 1, contender.name());
        ofRound.add(contender.run());
      }
      scores.add(ofRound);
    }
    StringBuilder table = new StringBuilder();
    table.append("**%s**%s%n%n".formatted(title, goal.isEmpty() ? "" : " (goal: " + goal + ")"));
    table.append(
        "| | ns on the clock | times the first | ns of CPU | times the first | bytes |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < contenders.size(); i++) {
      int index = i;
      table.append(
          "| %s | %s | %s | %s | %s | %s |%n"
              .formatted(
                  contenders.get(i).name(),
                  spread("%.0f", scores, it -> it.get(index).nanos()),
                  spread("%.2f", scores, it -> it.get(index).nanos() / it.get(0).nanos()),
                  spread("%.0f", scores, it -> it.get(index).cpuNanos()),
                  spread("%.2f", scores, it -> it.get(index).cpuNanos() / it.get(0).cpuNanos()),
                  median("%.0f", scores, it -> it.get(index).bytes())));
    }
    return table.append('\n').toString();
  }

  private static String spread(
      String format, List<List<Score>> rounds, ToDoubleFunction<List<Score>> figure) {
    return Spread.of(format, rounds.stream().mapToDouble(figure).toArray());
  }

  private static String median(
      String format, List<List<Score>> rounds, ToDoubleFunction<List<Score>> figure) {
    return Spread.median(format, rounds.stream().mapToDouble(figure).toArray());
  }
}
