package dev.onlyonce.app.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/**
 * Runs {@code onlyonce dedup} in this process, in a folder. Files are given and returned as text in
 * which each character is a byte, unless they are said to be UTF-8.
 */
final class DedupRun {
  private static final Pattern STATS =
      Pattern.compile(
          "([0-9,]+) records?: ([0-9,]+) passed on, ([0-9,]+) duplicates?, ([0-9,]+) without key,"
              + " ([0-9,]+) bad, ([0-9,]+) blank(?:, .*)?; [0-9.]+ s");

  private final Path folder;

  DedupRun(Path folder) {
    this.folder = folder;
  }

  /**
   * What a run did.
   *
   * @param out what is in the output; empty if it was not written
   */
  record Result(int code, String out, String err) {

    /** records, passed, duplicates, without key, bad and blank, as the text statistics say. */
    List<Long> counts() {
      Matcher stats = STATS.matcher(err);
      if (!stats.find()) {
        throw new AssertionError("no statistics in: " + err);
      }
      List<Long> counts = new ArrayList<>();
      for (int i = 1; i <= stats.groupCount(); i++) {
        counts.add(Long.parseLong(stats.group(i).replace(",", "")));
      }
      return counts;
    }

    long duplicates() {
      return counts().get(2);
    }

    /** What was said but for the statistics, without the program's name; no path of the folder. */
    List<String> said() {
      return err.lines()
          .filter(line -> !STATS.matcher(line).find())
          .map(line -> line.replace("onlyonce: ", "").replaceAll("/\\S*/", ""))
          .toList();
    }
  }

  /** Writes a file, a character a byte; returns its path. */
  String file(String name, String content) {
    return file(name, content.getBytes(ISO_8859_1));
  }

  /** Writes a file in UTF-8; returns its path. */
  String utf8(String name, String content) {
    return file(name, content.getBytes(UTF_8));
  }

  String file(String name, byte[] content) {
    try {
      return Files.write(folder.resolve(name), content).toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The path of a file that need not be there. */
  String path(String name) {
    return folder.resolve(name).toString();
  }

  String content(String name) {
    try {
      return new String(Files.readAllBytes(folder.resolve(name)), ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs with these arguments and an output file, unless they name one. */
  Result dedup(String... arguments) {
    List<String> all = new ArrayList<>(List.of("dedup"));
    all.addAll(List.of(arguments));
    if (!all.contains("--out")) {
      all.addAll(1, List.of("--out", path("out")));
    }
    StringWriter err = new StringWriter();
    CommandLine commandLine = Main.commandLine().setErr(new PrintWriter(err, true));
    int code = Main.run(commandLine, all.toArray(String[]::new));
    String out = Files.exists(folder.resolve("out")) ? content("out") : "";
    return new Result(code, out, err.toString());
  }
}
