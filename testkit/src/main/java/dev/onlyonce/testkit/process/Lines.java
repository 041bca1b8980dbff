package dev.onlyonce.testkit.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The lines that a process has written to one of its streams: each can be taken once, and the last
 * ones are remembered for messages.
 *
 * <p>Only a line that ends with a line feed is one; what a killed process began is not. Keeps the
 * last {@value #UNTAKEN_LIMIT} lines that were not taken.
 *
 * <p>Thread-safe. A taker looks at each line once.
 */
final class Lines {
  private static final int UNTAKEN_LIMIT = 10_000;
  private static final int TAIL_LIMIT = 100;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final TreeMap<Long, String> untaken = new TreeMap<>();
  private final Deque<String> tail = new ArrayDeque<>();
  private long count;
  private boolean ended;

  /** Reads the stream to its end, on a thread of its own. */
  static Lines of(InputStream stream, String threadName) {
    Lines lines = new Lines();
    Thread reader = new Thread(() -> lines.read(stream), threadName);
    reader.setDaemon(true);
    reader.start();
    return lines;
  }

  private void read(InputStream stream) {
    StringBuilder line = new StringBuilder();
    try (Reader reader = new InputStreamReader(stream, StandardCharsets.UTF_8)) {
      char[] buffer = new char[4_096];
      for (int length = reader.read(buffer); length >= 0; length = reader.read(buffer)) {
        split(buffer, length, line);
      }
    } catch (IOException e) {
      line.append(" (").append(e.getMessage()).append(')'); // the process was closed
    } finally {
      end(line.toString());
    }
  }

  private void split(char[] buffer, int length, StringBuilder line) {
    for (int i = 0; i < length; i++) {
      if (buffer[i] != '\n') {
        line.append(buffer[i]);
      } else {
        add(line.toString());
        line.setLength(0);
      }
    }
  }

  private void add(String line) {
    lock.lock();
    try {
      untaken.put(count++, line);
      if (untaken.size() > UNTAKEN_LIMIT) {
        untaken.pollFirstEntry();
      }
      remember(line);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void end(String unfinished) {
    lock.lock();
    try {
      if (!unfinished.isEmpty()) {
        remember(unfinished);
      }
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void remember(String line) {
    tail.addLast(line);
    if (tail.size() > TAIL_LIMIT) {
      tail.removeFirst();
    }
  }

  /**
   * Takes the first line that is wanted; null if none came until the deadline or the stream's end.
   */
  @Nullable String take(Predicate<String> wanted, Duration deadline) throws InterruptedException {
    long left = deadline.toNanos();
    long from = 0;
    lock.lockInterruptibly();
    try {
      while (true) {
        Iterator<Map.Entry<Long, String>> lines = untaken.tailMap(from).entrySet().iterator();
        while (lines.hasNext()) {
          String line = lines.next().getValue();
          if (wanted.test(line)) {
            lines.remove();
            return line;
          }
        }
        from = count;
        if (ended || left <= 0) {
          return null;
        }
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  boolean hasEnded() {
    lock.lock();
    try {
      return ended;
    } finally {
      lock.unlock();
    }
  }

  /** The last lines, taken or not, and what was begun after them. */
  List<String> tail() {
    lock.lock();
    try {
      return new ArrayList<>(tail);
    } finally {
      lock.unlock();
    }
  }
}
