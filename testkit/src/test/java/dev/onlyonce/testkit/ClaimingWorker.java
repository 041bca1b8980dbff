package dev.onlyonce.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.testkit.history.HistoryEvent;
import dev.onlyonce.testkit.history.HistoryEvent.Kind;
import dev.onlyonce.testkit.history.HistoryFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A worker whose effect is a line in the history, with three ways not to have it twice: none that
 * works (check, then act), an atomic claim, and a claim with a token that can be overtaken. It does
 * one step for each line that it reads, so that a test decides how the steps of two workers fall.
 */
final class ClaimingWorker {
  private final Path directory;
  private final HistoryFile history;

  private ClaimingWorker(Path directory, HistoryFile history) {
    this.directory = directory;
    this.history = history;
  }

  /** Takes the directory and the worker's name in the history. */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    try (HistoryFile history = HistoryFile.open(directory.resolve("history"), args[1])) {
      ClaimingWorker worker = new ClaimingWorker(directory, history);
      System.out.println("ready");
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        System.out.println(worker.step(line.split(" ", -1)));
      }
    }
  }

  private String step(String[] words) throws IOException {
    String key = words[1];
    return switch (words[0]) {
      case "check" -> Files.exists(directory.resolve(key)) ? "known" : "new";
      case "act" -> act(key);
      case "claim-and-act" -> claimAtomically(key) ? effect(key, 0) : "known";
      case "claim" -> claim(key);
      case "doubt" -> record(HistoryEvent.of(Kind.IN_DOUBT, key, Long.parseLong(words[2])));
      case "effect" -> effect(key, Long.parseLong(words[2]));
      case "complete" -> complete(key, Long.parseLong(words[2]), true);
      case "complete-blindly" -> complete(key, Long.parseLong(words[2]), false);
      case "spin" -> spin(key);
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  private String act(String key) throws IOException {
    effect(key, 0);
    claimAtomically(key);
    return "acted";
  }

  private boolean claimAtomically(String key) throws IOException {
    try {
      Files.createFile(directory.resolve(key));
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  private String effect(String key, long token) {
    return record(HistoryEvent.of(Kind.EFFECT, key, token));
  }

  private String record(HistoryEvent event) {
    history.append(event);
    return "done";
  }

  /** Takes the key over from whoever holds it, with a larger token. */
  private String claim(String key) throws IOException {
    long before = history.lengthBytes();
    long token;
    try (FileChannel lock = lock();
        FileLock held = lock.lock()) {
      token = readToken(key) + 1;
      Files.writeString(directory.resolve(key + ".token"), Long.toString(token));
    }
    history.append(HistoryEvent.of(Kind.CLAIMED, key, token).since(before));
    return "claimed " + token;
  }

  private String complete(String key, long token, boolean looksAtTheToken) throws IOException {
    long before = history.lengthBytes();
    try (FileChannel lock = lock();
        FileLock held = lock.lock()) {
      if (looksAtTheToken && readToken(key) != token) {
        return "lost";
      }
    }
    history.append(HistoryEvent.of(Kind.COMPLETED, key, token).since(before));
    return "held";
  }

  private FileChannel lock() throws IOException {
    Path file = directory.resolve("lock");
    return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  private long readToken(String key) throws IOException {
    Path file = directory.resolve(key + ".token");
    return Files.exists(file) ? Long.parseLong(Files.readString(file)) : 0;
  }

  /** Has one effect after another, each of another key, and says so after each; never ends. */
  private String spin(String prefix) {
    for (int i = 0; i < Integer.MAX_VALUE; i++) {
      effect(prefix + i, 0);
      System.out.println("spun " + i);
    }
    return "dizzy";
  }
}
