package dev.onlyonce.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.SplittableRandom;

/**
 * Writes lines of JSON to standard output, three in ten of which are copies of one of the last
 * million. The argument is the number of lines; the same number gives the same lines.
 */
public final class Deliveries {

  private static final int REACH = 1_000_000;

  private Deliveries() {}

  /** Writes the lines. */
  public static void main(String[] args) throws IOException {
    int lines = Integer.parseInt(args[0]);
    SplittableRandom random = new SplittableRandom(4711);
    long next = 0;
    OutputStream out = new BufferedOutputStream(System.out, 1 << 20);
    for (int i = 0; i < lines; i++) {
      boolean copy = next > 0 && random.nextInt(10) < 3;
      long order = copy ? Math.max(0, next - 1 - random.nextInt(REACH)) : next++;
      out.write(line(order));
    }
    out.flush();
  }

  private static byte[] line(long order) {
    return ("{\"id\":\"order-"
            + Long.toHexString(order * 0x9E3779B97F4A7C15L | 1L << 63)
            + "\",\"status\":\"paid\",\"amount\":\"49.90\",\"currency\":\"EUR\",\"shop\":\"shop-"
            + order % 1000
            + "\"}\n")
        .getBytes(US_ASCII);
  }
}
