package dev.onlyonce.bench;

import dev.onlyonce.services.RedisServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What a call costs among many stored keys, beside what it costs among few. */
record RedisGrowth(int few, int many) implements Table {

  private static final String GOAL = "at most 1.2 times";

  private record Score(double claim, double duplicate, double claimCpu, double duplicateCpu) {}

  @Override
  public String title() {
    return String.format(Locale.ROOT, "redis: cost of growth from %,d to %,d keys", few, many);
  }

  @Override
  public String measure(int rounds) throws IOException {
    List<Score> amongFew = new ArrayList<>();
    List<Score> amongMany = new ArrayList<>();
    try (RedisServer server = RedisServer.start(RedisTable.SETTINGS)) {
      System.err.printf("%s: filling%n", title());
      run("fill", many, server.url());
      for (int round = 0; round < rounds; round++) {
        System.err.printf("%s, round %d%n", title(), round + 1);
        amongFew.add(score(run("few", few, server.url())));
        amongMany.add(score(run("many", many, server.url())));
      }
    }
    return table(amongFew, amongMany);
  }

  private static String run(String what, int keys, String uri) throws IOException {
    List<String> flags = List.of(Contender.JVM.split(" "));
    return Fork.run(flags, KeysInRedis.class, what, Integer.toString(keys), uri);
  }

  private static Score score(String answer) throws IOException {
    String[] figures = answer.split(" ", -1);
    if (figures.length != 4) {
      throw new IOException("the cost of growth was not measured: see standard error");
    }
    return new Score(
        Double.parseDouble(figures[0]),
        Double.parseDouble(figures[1]),
        Double.parseDouble(figures[2]),
        Double.parseDouble(figures[3]));
  }

  private String table(List<Score> amongFew, List<Score> amongMany) {
    StringBuilder table = new StringBuilder();
    table.append("**%s** (goal: %s)%n%n".formatted(title(), GOAL));
    table.append(String.format(Locale.ROOT, "| ns | among %,d | among %,d | times |%n", few, many));
    table.append("|---|---|---|---|\n");
    row(table, "a claim, on the clock", amongFew, amongMany, Score::claim);
    row(table, "a claim, CPU of the server", amongFew, amongMany, Score::claimCpu);
    row(table, "a duplicate, on the clock", amongFew, amongMany, Score::duplicate);
    row(table, "a duplicate, CPU of the server", amongFew, amongMany, Score::duplicateCpu);
    return table.append('\n').toString();
  }

  private static void row(
      StringBuilder table,
      String name,
      List<Score> amongFew,
      List<Score> amongMany,
      ToDoubleFunction<Score> figure) {
    double[] small = amongFew.stream().mapToDouble(figure).toArray();
    double[] large = amongMany.stream().mapToDouble(figure).toArray();
    double[] times = new double[small.length];
    for (int i = 0; i < times.length; i++) {
      times[i] = large[i] / small[i];
    }
    table.append(
        "| %s | %s | %s | %s |%n"
            .formatted(
                name,
                Spread.of("%,.0f", small),
                Spread.of("%,.0f", large),
                Spread.of("%.2f", times)));
  }
}
