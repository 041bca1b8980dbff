package dev.onlyonce.app.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Stands for the program in tests of its launcher: tells its arguments and its standard input. */
final class EchoProgram {
  private EchoProgram() {}

  public static void main(String[] args) throws IOException {
    String in = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
    System.out.println(Arrays.toString(args) + " " + in.strip());
    System.exit(args.length);
  }
}
