package dev.onlyonce.bench;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * How long it takes to open a local store with this many keys, in a JVM of its own, and what they
 * take on the heap and on the disk. The files are in the operating system's cache.
 */
record Opening(int keys) implements Table {

  private static final String GOAL =
      "at least 8,000,000 keys/s, less than 5 s, at most 64 bytes of heap a key";

  private record Opened(double seconds, double heapBytes) {}

  @Override
  public String title() {
    return String.format(Locale.ROOT, "local store: opening one of %,d keys", keys);
  }

  @Override
  public String measure(int rounds) throws IOException {
    try (Folder folder = Folder.create()) {
      System.err.printf("%s: filling it%n", title());
      Fork.run(flags(), KeysInStore.class, "fill", folder.path().toString(), "" + keys);
      double diskBytes = (double) folder.bytes() / keys;
      Opened[] opened = new Opened[rounds];
      for (int round = 0; round < rounds; round++) {
        System.err.printf("%s, round %d%n", title(), round + 1);
        opened[round] = open(folder);
      }
      return table(List.of(opened), diskBytes);
    }
  }

  private Opened open(Folder folder) throws IOException {
    String answer =
        Fork.run(flags(), KeysInStore.class, "open", folder.path().toString(), "" + keys);
    String[] figures = answer.split(" ", -1);
    if (figures.length != 2) {
      throw new IOException("the store was not opened: see standard error");
    }
    return new Opened(Double.parseDouble(figures[0]), Double.parseDouble(figures[1]));
  }

  private static List<String> flags() {
    return List.of((Contender.JVM + " " + Contender.HEAP_OF_MANY).split(" "));
  }

  private String table(List<Opened> opened, double diskBytes) {
    double[] seconds = opened.stream().mapToDouble(Opened::seconds).toArray();
    double[] rates = opened.stream().mapToDouble(it -> keys / it.seconds()).toArray();
    double[] heapBytes = opened.stream().mapToDouble(Opened::heapBytes).toArray();
    return String.format(
        Locale.ROOT,
        """
        **%s** (goal: %s)

        | | |
        |---|---|
        | seconds | %s |
        | keys a second | %s |
        | bytes of heap a key | %s |
        | bytes of disk a key | %.0f |

        """,
        title(),
        GOAL,
        Spread.of("%.2f", seconds),
        Spread.of("%,.0f", rates),
        Spread.median("%.1f", heapBytes),
        diskBytes);
  }
}
