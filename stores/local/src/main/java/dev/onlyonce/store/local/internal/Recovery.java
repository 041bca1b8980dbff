package dev.onlyonce.store.local.internal;

import dev.onlyonce.store.local.internal.Cursor.Malformed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a log when it is opened, cuts off what a crash left at its end, and follows it for a reader
 * beside the writer. Not safe for use by several threads at once.
 */
final class Recovery {

  /** Who is told what a log says. */
  interface Visitor {

    /**
     * Takes over what a snapshot says of a whole segment; returns false if there is none.
     *
     * @param buffer to read it into
     */
    boolean snapshot(Segment segment, Bytes buffer) throws IOException;

    /** Returns who takes over what this segment says. */
    LogReader reader(Segment segment);
  }

  private record Frame(long sequence, int offset) {}

  private final Log log;
  private final Disk disk;
  private final Log.Settings settings;
  private final Visitor visitor;
  private final long closed;

  /** The file that is read now. */
  private final Bytes read = new Bytes(0);

  /** The frames of the segment that are not known to be synced. */
  private final List<Frame> unsynced = new ArrayList<>();

  private Recovery(Log log, Visitor visitor, long closed) {
    this.closed = closed;
    this.log = log;
    this.disk = log.disk;
    this.settings = log.settings;
    this.visitor = visitor;
  }

  /**
   * Tells the visitor what the log says; the first thing to be done with a log.
   *
   * @param closed the number of a frame that the log had when it was closed
   */
  static void recover(Log log, Visitor visitor, long closed) throws IOException {
    Recovery recovery = new Recovery(log, visitor, closed);
    List<String> files = recovery.files();
    for (int i = 0; i < files.size(); i++) {
      recovery.recover(recovery.openSegment(files.get(i)), i == files.size() - 1);
    }
  }

  /** Tells the visitor what the writer has added since. */
  static void follow(Log log, Visitor visitor) throws IOException {
    new Recovery(log, visitor, 0).follow();
  }

  private List<String> files() throws IOException {
    return disk.list().stream().filter(Segment::isSegment).sorted().toList();
  }

  private Segment openSegment(String file) throws IOException {
    Segment last = log.last;
    long base = Segment.baseOf(file);
    if (last != null && !last.sealed) {
      throw new DamagedException(last.fileName(), last.end, "another segment follows, " + file);
    }
    if (last != null && base != last.endPosition()) {
      throw new DamagedException(file, 0, "the segment before it ends elsewhere: one is missing");
    }
    Disk.Data data = disk.open(file);
    try {
      ByteBuffer header = ByteBuffer.allocate(Segment.HEADER);
      int length = data.read(header, 0);
      Segment segment = Segment.read(header.array(), length, settings.storeId(), base, data);
      segment.allocated = data.size();
      log.segments.put(base, segment);
      log.last = segment;
      log.raiseFloor(segment.floor);
      return segment;
    } catch (IOException e) {
      data.close();
      throw e;
    }
  }

  private void recover(Segment segment, boolean isLast) throws IOException {
    if (log.sequence == 0) {
      log.sequence = segment.firstFrame - 1;
    }
    if (!isLast && visitor.snapshot(segment, read)) {
      log.sequence = segment.lastFrame;
      log.synced = log.sequence;
      log.lastMicros = Math.max(log.lastMicros, segment.lastMicros);
      return;
    }
    unsynced.clear();
    read.readAll(segment.data);
    replay(segment);
    if (isLast || !segment.sealed) {
      checkTail(segment, isLast);
    }
    log.synced = log.sequence;
  }

  /** Takes over all frames from where the segment ended until now. */
  private void replay(Segment segment) throws IOException {
    byte[] bytes = read.array();
    int limit = read.end();
    while (!segment.sealed) {
      int at = (int) segment.end;
      FrameHeader header = FrameHeader.read(bytes, at, limit, settings.storeId());
      if (header == null
          || header.sequence() != log.sequence + 1
          || !header.isBodyWhole(bytes, at, limit)) {
        return;
      }
      unsynced.add(new Frame(header.sequence(), at));
      unsynced.removeIf(frame -> frame.sequence <= header.synced());
      int end = at + FrameHeader.BYTES + header.bodyBytes();
      LogReader reader = new Recovering(segment, visitor.reader(segment));
      Log.readEntries(segment, segment.codec, bytes, at + FrameHeader.BYTES, end, reader);
      log.sequence = header.sequence();
      log.lastMicros = Math.max(log.lastMicros, header.micros());
      segment.end = end;
      segment.lastFrame = log.sequence;
      segment.lastMicros = log.lastMicros;
    }
  }

  /** Takes over what the log itself must know. */
  private final class Recovering implements LogReader {
    private final Segment segment;
    private final LogReader next;

    Recovering(Segment segment, LogReader next) {
      this.segment = segment;
      this.next = next;
    }

    @Override
    public void record(LoggedRecord record, long position) throws IOException, Malformed {
      next.record(record, position);
    }

    @Override
    public void note(String name, byte[] value) {
      next.note(name, value);
    }

    @Override
    public void floor(long token) {
      log.raiseFloor(token);
    }

    @Override
    public void end() {
      segment.sealed = true;
    }
  }

  /** Looks at what comes behind the last good frame: what a crash left, or damage. */
  private void checkTail(Segment segment, boolean isLast) throws IOException {
    int tail = (int) segment.end;
    if (!isLast) {
      throw new DamagedException(segment.fileName(), tail, "a frame is broken or missing");
    }
    if (log.sequence < closed) {
      throw new DamagedException(
          segment.fileName(),
          tail,
          "it ended with frame %d when the store was closed, and %d is the last that is there"
              .formatted(closed, log.sequence));
    }
    FrameHeader later = nextFrame(tail);
    if (later != null && later.synced() > log.sequence) {
      throw new DamagedException(
          segment.fileName(), tail, "a frame is broken that was complete when others were written");
    }
    if (!settings.writes()) {
      return;
    }
    if (!read.isZero(tail)) {
      segment.data.write(ByteBuffer.wrap(new byte[read.end() - tail]), tail);
    }
    // A sync may have failed, after which the frame can be read, but is not on the disk, and would
    // not be written by another sync alone.
    int from = unsynced.isEmpty() ? tail : unsynced.get(0).offset;
    segment.data.write(ByteBuffer.wrap(read.array(), from, tail - from), from);
    segment.data.sync();
    unsynced.clear();
  }

  /** Returns the header of the next frame that is newer than the last good one. */
  private @Nullable FrameHeader nextFrame(int from) {
    FrameHeader newest = null;
    for (int at = from; at + FrameHeader.BYTES <= read.end(); at += 8) {
      FrameHeader header = FrameHeader.read(read.array(), at, read.end(), settings.storeId());
      if (header != null && header.sequence() > log.sequence) {
        newest = newest == null || header.synced() > newest.synced() ? header : newest;
      }
    }
    return newest;
  }

  private void follow() throws IOException {
    Segment last = log.last;
    if (last != null && !last.sealed) {
      read.readAll(last.data);
      replay(last);
    }
    for (String file : files()) {
      last = log.last;
      if (last == null || (last.sealed && Segment.baseOf(file) >= last.endPosition())) {
        Segment segment = openSegment(file);
        read.readAll(segment.data);
        replay(segment);
      }
    }
  }
}
