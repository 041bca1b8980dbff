package dev.onlyonce.testkit.history;

import dev.onlyonce.testkit.history.HistoryEvent.Kind;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Writes a history by hand, for any number of processes; each call is one line. */
final class HistoryScript implements AutoCloseable {
  private final Path file;
  private final Map<String, HistoryFile> writers = new HashMap<>();

  HistoryScript(Path file) {
    this.file = file;
  }

  /** The moment now, to be given to {@link #line} as that at which an operation was begun. */
  long now() {
    return writer("nobody").lengthBytes();
  }

  /** An operation that was begun and recorded in one go. */
  HistoryScript line(String process, Kind kind, String key, long token) {
    return line(process, kind, key, token, now());
  }

  HistoryScript line(String process, Kind kind, String key, long token, long since) {
    writer(process).append(HistoryEvent.of(kind, key, token).since(since));
    return this;
  }

  HistoryScript killed(String process) {
    writer("parent").append(HistoryEvent.killed(process));
    return this;
  }

  HistoryReport check() {
    return HistoryChecker.check(HistoryFile.read(file));
  }

  private HistoryFile writer(String process) {
    return writers.computeIfAbsent(process, name -> HistoryFile.open(file, name));
  }

  @Override
  public void close() {
    writers.values().forEach(HistoryFile::close);
  }
}
