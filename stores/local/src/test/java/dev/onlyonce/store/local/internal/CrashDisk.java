package dev.onlyonce.store.local.internal;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A disk that knows what it has been asked to sync, and forgets in a crash what a real one may
 * forget: of each file any of the pages that were written since its last sync, of the last write a
 * part of a page, of the directory any of the changes. It can end the program before any operation,
 * fail a sync, after which the pages that it was about are never written, and be full.
 */
final class CrashDisk implements Disk {

  /** The machine has stopped. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1L;
  }

  private static final int PAGE = 4_096;
  private static final int SECTOR = 512;

  /** Bytes with room to grow: a file is written and synced in many small pieces. */
  private static final class Content {
    private byte[] bytes = {};
    private int length;

    private void reach(int end) {
      if (bytes.length < end) {
        bytes = Arrays.copyOf(bytes, Math.max(end, bytes.length + bytes.length / 2));
      }
      length = Math.max(length, end);
    }

    private void take(Content other, int from, int to) {
      reach(to);
      System.arraycopy(other.bytes, from, bytes, from, Math.max(0, to - from));
    }

    private Content copy() {
      Content copy = new Content();
      copy.take(this, 0, length);
      return copy;
    }
  }

  private static final class File {
    final Content durable = new Content();
    Content current = new Content();
    final Set<Integer> dirty = new HashSet<>();
  }

  private final Map<String, File> files = new TreeMap<>();

  /** The directory as it was when it was synced. */
  private Map<String, File> synced = Map.of();

  /** What has become of names since, a map for each change; of names that are gone, nothing. */
  private final List<Map<String, Optional<File>>> changes = new ArrayList<>();

  private final SplittableRandom random;
  private long operationsLeft = Long.MAX_VALUE;
  private long bytesLeft = Long.MAX_VALUE;
  private long syncsUntilFailure = Long.MAX_VALUE;

  CrashDisk(SplittableRandom random) {
    this.random = random;
  }

  /** Stops the machine before the operation that comes after so many. */
  void crashAfter(long count) {
    operationsLeft = count;
  }

  /** Lets the files grow by so many bytes and no more. */
  void fillUpAfter(long bytes) {
    bytesLeft = bytes;
  }

  /** Fails the sync that comes after so many, and loses what it was about. */
  void failSyncAfter(long count) {
    syncsUntilFailure = count;
  }

  private void step() {
    if (operationsLeft-- <= 0) {
      operationsLeft = 0;
      throw new Crash();
    }
  }

  /** The process has ended and the machine goes on: nothing is forgotten yet. */
  void endProcess() {
    operationsLeft = Long.MAX_VALUE;
    bytesLeft = Long.MAX_VALUE;
    syncsUntilFailure = Long.MAX_VALUE;
  }

  /** Starts the machine again, with what is left. */
  void restart() {
    endProcess();
    files.clear();
    files.putAll(synced);
    boolean inOrder = random.nextBoolean();
    int count = random.nextInt(changes.size() + 1);
    for (int i = 0; i < changes.size(); i++) {
      if (inOrder ? i < count : random.nextBoolean()) {
        changes.get(i).forEach(this::change);
      }
    }
    remember();
    new HashSet<>(files.values()).forEach(this::forget);
  }

  private void change(String name, Optional<File> file) {
    file.ifPresentOrElse(it -> files.put(name, it), () -> files.remove(name));
  }

  private void remember() {
    synced = new TreeMap<>(files);
    changes.clear();
  }

  private void forget(File file) {
    for (int page : file.dirty) {
      int from = page * PAGE;
      int to = Math.min(file.current.length, from + PAGE);
      switch (random.nextInt(4)) {
        case 0, 1 -> {}
        case 2 -> file.durable.take(file.current, from, to);
        default -> {
          int cut = from + SECTOR * (1 + random.nextInt(PAGE / SECTOR));
          file.durable.take(file.current, from, Math.min(to, cut));
        }
      }
    }
    file.current = file.durable.copy();
    file.dirty.clear();
  }

  @Override
  public List<String> list() {
    return new ArrayList<>(files.keySet());
  }

  @Override
  public Data open(String name) throws IOException {
    File file = files.get(name);
    if (file == null) {
      throw new FileNotFoundException(name);
    }
    return new CrashData(file);
  }

  @Override
  public Data create(String name) throws IOException {
    step();
    if (files.containsKey(name)) {
      throw new FileAlreadyExistsException(name);
    }
    File file = new File();
    changed(Map.of(name, Optional.of(file)));
    return new CrashData(file);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    step();
    File file = files.get(from);
    if (file == null) {
      throw new FileNotFoundException(from);
    }
    changed(Map.of(from, Optional.empty(), to, Optional.of(file)));
  }

  private void changed(Map<String, Optional<File>> change) {
    change.forEach(this::change);
    changes.add(change);
  }

  @Override
  public void delete(String name) {
    step();
    if (files.containsKey(name)) {
      changed(Map.of(name, Optional.empty()));
    }
  }

  @Override
  public long room() {
    return bytesLeft;
  }

  @Override
  public void sync() throws IOException {
    step();
    failSync();
    remember();
  }

  private void failSync() throws IOException {
    if (syncsUntilFailure-- == 0) {
      throw new IOException("Input/output error");
    }
  }

  @Override
  public String toString() {
    return "the test disk";
  }

  private final class CrashData implements Data {
    private final File file;

    CrashData(File file) {
      this.file = file;
    }

    @Override
    public long size() {
      return file.current.length;
    }

    @Override
    public int read(ByteBuffer target, long position) {
      int count = (int) Math.min(target.remaining(), Math.max(0, file.current.length - position));
      target.put(file.current.bytes, (int) Math.min(position, file.current.length), count);
      return count;
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      step();
      int length = source.remaining();
      long end = position + length;
      long more = Math.max(0, end - file.current.length);
      if (more > bytesLeft) {
        int fits = (int) Math.max(0, length - (more - bytesLeft));
        bytesLeft = 0;
        put(source, (int) position, fits);
        throw new IOException("No space left on device");
      }
      bytesLeft -= more;
      put(source, (int) position, length);
    }

    private void put(ByteBuffer source, int position, int length) {
      file.current.reach(position + length);
      source.get(file.current.bytes, position, length);
      for (int page = position / PAGE; page * PAGE < position + length; page++) {
        file.dirty.add(page);
      }
    }

    @Override
    public void sync() throws IOException {
      step();
      if (syncsUntilFailure == 0) {
        // As Linux does: the pages count as clean from here on, and were never written.
        file.dirty.clear();
      }
      failSync();
      for (int page : file.dirty) {
        int from = page * PAGE;
        int to = Math.min(file.current.length, from + PAGE);
        file.durable.take(file.current, from, to);
      }
      file.dirty.clear();
    }

    @Override
    public void close() {}
  }
}
