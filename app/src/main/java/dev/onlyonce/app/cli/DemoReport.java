package dev.onlyonce.app.cli;

import dev.onlyonce.app.demo.Demo;
import dev.onlyonce.app.demo.Figures;
import dev.onlyonce.app.demo.Handling;
import dev.onlyonce.app.demo.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The figures of the demo's runs, for people and for programs. */
final class DemoReport {

  private static final String ROW = "%-14s %10s %8s %8s %6s %9s %9s %6s %8s";

  private DemoReport() {}

  /** What is about to happen. */
  static String introduction(Plan plan) {
    return line(
        "%,d callbacks, each one to four times: %,d copies, up to %d in flight over %d connections.%n"
            + "The worker is killed %s in each run, with SIGKILL. Seed %d.",
        plan.callbacks(),
        plan.copies(),
        Demo.IN_FLIGHT,
        Demo.CONNECTIONS,
        times(plan.kills()),
        plan.seed());
  }

  /** An aligned table, then what it shows in two or three sentences. */
  static String text(List<Figures> runs) {
    List<String> lines = new ArrayList<>();
    lines.add(
        line(
            ROW,
            "run",
            "deliveries",
            "effects",
            "doubled",
            "lost",
            "resolved",
            "look-ups",
            "kills",
            "seconds"));
    runs.forEach(run -> lines.add(row(run)));
    lines.add("");
    runs.forEach(run -> lines.add(sentence(run)));
    return String.join(System.lineSeparator(), lines);
  }

  private static String row(Figures run) {
    return line(
        ROW,
        run.handling().word(),
        number(run.deliveries()),
        number(run.effects()),
        number(run.doubled()),
        number(run.lost()),
        number(run.resolved()),
        number(run.lookUps()),
        number(run.kills()),
        line("%.1f", seconds(run)));
  }

  private static String sentence(Figures run) {
    String name = run.handling().word();
    if (!run.isOnce()) {
      return line(
          run.doubled() == 1
              ? "%s: %,d payment was charged more than once, %,d never."
              : "%s: %,d payments were charged more than once, %,d never.",
          name,
          run.doubled(),
          run.lost());
    }
    if (run.handling() != Handling.ONLYONCE) {
      return name + ": happened to double nothing this time; nothing in it keeps it from doing so.";
    }
    return line(
        "%s: each payment was charged once; %,d were in doubt after a kill, and the bank was asked.",
        name, run.resolved());
  }

  /** An array of an object for each run. */
  static String json(List<Figures> runs) {
    return runs.stream().map(DemoReport::object).collect(Collectors.joining(",\n ", "[", "]"));
  }

  private static String object(Figures run) {
    return line(
        "{\"run\":\"%s\",\"deliveries\":%d,\"effects\":%d,\"doubled\":%d,\"lost\":%d,"
            + "\"resolved\":%d,\"lookUps\":%d,\"kills\":%d,\"seconds\":%.3f}",
        run.handling().word(),
        run.deliveries(),
        run.effects(),
        run.doubled(),
        run.lost(),
        run.resolved(),
        run.lookUps(),
        run.kills(),
        seconds(run));
  }

  private static double seconds(Figures run) {
    return run.time().toNanos() / 1e9;
  }

  private static String number(long number) {
    return line("%,d", number);
  }

  private static String times(int count) {
    return count == 1 ? "once" : line("%,d times", count);
  }

  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
