package dev.onlyonce.store.local.internal;

import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.store.local.internal.Cursor.Malformed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * An append-only log in segments. Entries are added to a frame, and the frame is written and synced
 * at once: after a crash all of its entries are there, or none.
 *
 * <p>Not safe for use by several threads at once.
 *
 * <h2>What a crash may leave</h2>
 *
 * <p>A frame is written only after the one before it is synced, so at most the last frame can be
 * incomplete: it is cut off, by zeros, before anything is written behind it. Without syncs it may
 * be several, of which any part may be there. What tells them from damage is what each frame says
 * about the others: the number of the last one that was synced. A frame that is broken although a
 * later one knows that it was synced is damage, and the log is not opened.
 */
final class Log implements AutoCloseable {

  /** Who is told what a log says when it is opened. */
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

  /**
   * @param segmentBytes a segment that has become this long is the last one no more
   * @param syncs whether each frame is synced before it counts as written
   * @param writes whether this is the log of a writer, who cuts off what a crash left
   */
  record Settings(long storeId, int segmentBytes, boolean syncs, boolean writes) {}

  private static final int LARGEST_ALLOCATION = 8 << 20;
  private static final int SMALLEST_ALLOCATION = 64 << 10;

  private static final int READ_AHEAD = 512;

  /** The most that one frame may have. */
  static final int MAX_FRAME_BYTES = 64 << 20;

  private final Disk disk;
  private final Settings settings;
  private final TreeMap<Long, Segment> segments = new TreeMap<>();
  private final Bytes frame = new Bytes(1 << 16);

  /** The file that is read while the log is recovered or followed. */
  private Bytes read = new Bytes(0);

  private @Nullable Segment last;
  private @Nullable Segment recent;
  private int namesBefore;
  private int recordsBefore;
  private long sequence;
  private long synced;
  private long lastMicros;
  private long floor;

  /** While the log is recovered: the frames of the segment that are not known to be synced. */
  private final List<Frame> unsynced = new ArrayList<>();

  private record Frame(long sequence, int offset) {}

  Log(Disk disk, Settings settings) {
    this.disk = disk;
    this.settings = settings;
  }

  /** Returns the time of the last frame, microseconds; 0 if there is none. */
  long lastMicros() {
    return lastMicros;
  }

  /** Returns the segments, the oldest first. */
  Collection<Segment> segments() {
    return segments.values();
  }

  // Recovery.

  /** Tells the visitor what the log says; the first thing to be called. */
  void recover(Visitor visitor) throws IOException {
    List<String> files = disk.list().stream().filter(Segment::isSegment).sorted().toList();
    for (int i = 0; i < files.size(); i++) {
      boolean isLast = i == files.size() - 1;
      String file = files.get(i);
      Segment segment = openSegment(file, isLast);
      if (segment == null) {
        break;
      }
      recover(segment, isLast, visitor);
    }
    read = new Bytes(0);
  }

  /** Opens a segment; returns null for a last one that was never begun completely. */
  private @Nullable Segment openSegment(String file, boolean isLast) throws IOException {
    long base = Segment.baseOf(file);
    if (last != null && !last.sealed) {
      throw new DamagedException(last.fileName(), last.end, "another segment follows, " + file);
    }
    if (last != null && base != last.endPosition()) {
      throw new DamagedException(file, 0, "the segment before it ends elsewhere: one is missing");
    }
    Disk.Data data = disk.open(file);
    ByteBuffer header = ByteBuffer.allocate(Segment.HEADER);
    int length = data.read(header, 0);
    Segment segment = Segment.read(header.array(), length, settings.storeId(), base, data);
    if (segment == null) {
      data.close();
      boolean isBegun = !isLast || last == null || hasFrames(file);
      if (isBegun) {
        throw new DamagedException(file, 0, "it does not begin as a segment does");
      }
      if (settings.writes()) {
        disk.delete(file);
        disk.sync();
      }
      return null;
    }
    segment.allocated = data.size();
    segments.put(base, segment);
    last = segment;
    floor = Math.max(floor, segment.floor);
    return segment;
  }

  private boolean hasFrames(String file) throws IOException {
    try (Disk.Data data = disk.open(file)) {
      read.readAll(data);
      return nextFrame(Segment.HEADER) != null;
    }
  }

  private void recover(Segment segment, boolean isLast, Visitor visitor) throws IOException {
    if (sequence == 0) {
      sequence = segment.firstFrame - 1;
    }
    if (!isLast && visitor.snapshot(segment, read)) {
      sequence = segment.lastFrame;
      synced = sequence;
      lastMicros = Math.max(lastMicros, segment.lastMicros);
      return;
    }
    unsynced.clear();
    read.readAll(segment.data);
    replay(segment, visitor);
    if (isLast || !segment.sealed) {
      checkTail(segment, isLast);
    }
    synced = sequence;
  }

  /** Takes over all frames from where the segment ended until now. */
  private void replay(Segment segment, Visitor visitor) throws IOException {
    byte[] bytes = read.array();
    int limit = read.end();
    while (!segment.sealed) {
      int at = (int) segment.end;
      FrameHeader header = FrameHeader.read(bytes, at, limit, settings.storeId());
      if (header == null
          || header.sequence() != sequence + 1
          || !header.isBodyWhole(bytes, at, limit)) {
        return;
      }
      unsynced.add(new Frame(header.sequence(), at));
      unsynced.removeIf(frame -> frame.sequence <= header.synced());
      int end = at + FrameHeader.BYTES + header.bodyBytes();
      readEntries(segment, bytes, at + FrameHeader.BYTES, end, visitor);
      sequence = header.sequence();
      lastMicros = Math.max(lastMicros, header.micros());
      segment.end = end;
      segment.lastFrame = sequence;
      segment.lastMicros = lastMicros;
    }
  }

  private void readEntries(Segment segment, byte[] bytes, int from, int to, Visitor visitor)
      throws IOException {
    LogReader reader = new Recovering(segment, visitor.reader(segment));
    readEntries(segment, segment.codec, bytes, from, to, reader);
  }

  private static void readEntries(
      Segment segment, EntryCodec codec, byte[] bytes, int from, int to, LogReader reader)
      throws IOException {
    for (int at = from; at < to; at += Bytes.getInt(bytes, at)) {
      try {
        codec.read(bytes, at, at + Bytes.getInt(bytes, at), reader, segment.base + at);
      } catch (Malformed | IllegalArgumentException e) {
        throw new DamagedException(segment.fileName(), at, "the entry " + e.getMessage());
      }
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
      raiseFloor(token);
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
    FrameHeader later = nextFrame(tail);
    if (later != null && later.synced() > sequence) {
      throw new DamagedException(
          segment.fileName(), tail, "a frame is broken that was complete when others were written");
    }
    if (!settings.writes()) {
      return;
    }
    if (!isZero(tail)) {
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
      if (header != null && header.sequence() > sequence) {
        newest = newest == null || header.synced() > newest.synced() ? header : newest;
      }
    }
    return newest;
  }

  private boolean isZero(int from) {
    for (int i = from; i < read.end(); i++) {
      if (read.array()[i] != 0) {
        return false;
      }
    }
    return true;
  }

  /** Takes over what the writer has added since, for a reader beside it. */
  void follow(Visitor visitor) throws IOException {
    if (last != null && !last.sealed) {
      read.readAll(last.data);
      replay(last, visitor);
    }
    List<String> files = disk.list().stream().filter(Segment::isSegment).sorted().toList();
    for (String file : files) {
      if (last == null || (last.sealed && Segment.baseOf(file) >= last.endPosition())) {
        Segment segment = openSegment(file, true);
        if (segment == null) {
          return;
        }
        read.readAll(segment.data);
        replay(segment, visitor);
      }
    }
  }

  // Writing.

  /**
   * Begins a frame.
   *
   * @param micros the store's time
   * @return whether it is the first one of a segment
   */
  boolean begin(long micros) throws IOException {
    Segment segment = last;
    boolean rolls = segment == null || segment.sealed || segment.end >= settings.segmentBytes();
    if (segment == null || rolls) {
      segment = roll(micros);
    }
    namesBefore = segment.names.size();
    recordsBefore = segment.records;
    frame.cut(0);
    frame.skip(FrameHeader.BYTES);
    return rolls;
  }

  /** Adds a claim record to the frame; returns its position. */
  long add(ClaimRecord record) {
    Segment segment = Objects.requireNonNull(last);
    int at = segment.codec.writeRecord(frame, record);
    segment.records++;
    return segment.base + segment.end + at;
  }

  /** Adds a note to the frame. */
  void addNote(String name, byte[] value) {
    Objects.requireNonNull(last).codec.writeNote(frame, name, value);
  }

  /** Adds the floor to the frame. */
  void addFloor() {
    Objects.requireNonNull(last).codec.writeFloor(frame, floor);
  }

  int frameBytes() {
    return frame.end();
  }

  boolean isFrameEmpty() {
    return frame.end() == FrameHeader.BYTES;
  }

  /** Gives the frame up: nothing of it was written. */
  void cancel() {
    frame.cut(0);
    if (last != null) {
      last.names.cut(namesBefore);
      last.records = recordsBefore;
    }
  }

  /**
   * Makes sure that there is room on the disk for the frame: blocks that are there already are
   * synced many times faster than a file that grows.
   *
   * @throws NoRoomException if there is none; nothing has happened then
   */
  void allocate() throws IOException {
    Segment segment = Objects.requireNonNull(last);
    long needed = segment.end + frame.end();
    if (needed <= segment.allocated) {
      return;
    }
    long doubled = Math.min(LARGEST_ALLOCATION, Math.max(SMALLEST_ALLOCATION, segment.allocated));
    long target = Math.max(needed, Math.min(needed + doubled, settings.segmentBytes()));
    ByteBuffer zeros = ByteBuffer.allocate((int) (target - segment.allocated));
    try {
      segment.data.write(zeros, segment.allocated);
    } catch (IOException e) {
      throw new NoRoomException(disk, e);
    }
    segment.allocated = target;
  }

  /**
   * Writes the frame; when this returns, it is as safe as the settings say.
   *
   * @param micros the store's time: nothing in the frame is of a later one
   */
  void commit(long micros) throws IOException {
    long frameMicros = Math.max(micros, lastMicros);
    Segment segment = Objects.requireNonNull(last);
    long number = sequence + 1;
    new FrameHeader(frame.end() - FrameHeader.BYTES, number, synced, frameMicros)
        .write(frame, 0, settings.storeId());
    segment.data.write(ByteBuffer.wrap(frame.array(), 0, frame.end()), segment.end);
    if (settings.syncs()) {
      segment.data.sync();
      synced = number;
    }
    sequence = number;
    segment.end += frame.end();
    segment.lastFrame = number;
    segment.lastMicros = frameMicros;
    lastMicros = frameMicros;
    frame.cut(0);
  }

  /** Makes sure that all that was written is there after a crash. */
  void sync() throws IOException {
    if (last != null && synced < sequence) {
      last.data.sync();
      synced = sequence;
    }
  }

  private Segment roll(long micros) throws IOException {
    long base = 0;
    if (last != null) {
      seal(last, micros);
      base = last.endPosition();
    }
    Segment segment;
    try {
      segment = create(base, micros / 1_000);
    } catch (IOException e) {
      throw new NoRoomException(disk, e);
    }
    segments.put(base, segment);
    last = segment;
    return segment;
  }

  private Segment create(long base, long millis) throws IOException {
    String file = Segment.fileName(base);
    disk.delete(file); // one that could not be made completely
    Disk.Data data = disk.create(file);
    try {
      Bytes header = new Bytes(Segment.HEADER);
      Segment segment =
          Segment.begin(settings.storeId(), base, sequence + 1, floor, millis, data, header);
      data.write(ByteBuffer.wrap(header.array(), 0, Segment.HEADER), 0);
      data.sync();
      disk.sync();
      return segment;
    } catch (IOException e) {
      data.close();
      throw e;
    }
  }

  private void seal(Segment segment, long micros) throws IOException {
    if (segment.sealed) {
      return;
    }
    frame.cut(0);
    frame.skip(FrameHeader.BYTES);
    segment.codec.writeEnd(frame);
    allocate();
    commit(micros);
    if (!settings.syncs()) {
      segment.data.sync();
      synced = sequence;
    }
    segment.sealed = true;
  }

  // Reading.

  /** Returns the segment that a position is in, null if it was dropped. */
  @Nullable Segment segmentOf(long position) {
    if (last != null && position >= last.base) {
      return last;
    }
    if (recent != null && position >= recent.base && position < recent.endPosition()) {
      return recent;
    }
    var entry = segments.floorEntry(position);
    recent = entry == null ? null : entry.getValue();
    return recent;
  }

  /** Returns the claim record at this position, be it in the frame that is not written yet. */
  ClaimRecord read(long position) throws IOException {
    Segment segment = Objects.requireNonNull(segmentOf(position));
    int offset = (int) (position - segment.base);
    byte[] bytes = offset < segment.end ? readEntry(segment, offset) : pending(segment, offset);
    try {
      return segment.codec.readRecord(bytes, 0, bytes.length);
    } catch (Malformed | IllegalArgumentException e) {
      throw new DamagedException(segment.fileName(), offset, "the entry " + e.getMessage());
    }
  }

  private byte[] pending(Segment segment, int offset) {
    int at = (int) (offset - segment.end);
    return Arrays.copyOfRange(frame.array(), at, at + Bytes.getInt(frame.array(), at));
  }

  private static byte[] readEntry(Segment segment, int offset) throws IOException {
    byte[] bytes = new byte[READ_AHEAD];
    int length = segment.data.read(ByteBuffer.wrap(bytes), offset);
    int entry = EntryCodec.lengthAt(bytes, 0, MAX_FRAME_BYTES);
    if (entry > length) {
      bytes = new byte[entry];
      length = segment.data.read(ByteBuffer.wrap(bytes), offset);
    }
    if (entry < 0 || entry > length || !EntryCodec.isWhole(new CRC32C(), bytes, 0, entry)) {
      throw new DamagedException(segment.fileName(), offset, "a record has changed");
    }
    return entry == bytes.length ? bytes : Arrays.copyOf(bytes, entry);
  }

  /** Shows what a segment says, from its beginning to where it ends now. */
  void scan(Segment segment, LogReader reader) throws IOException {
    Bytes content = new Bytes(0);
    content.readAll(segment.data);
    byte[] bytes = content.array();
    EntryCodec codec = new EntryCodec(segment.baseMillis, new Names());
    int at = Segment.HEADER;
    while (at < segment.end) {
      FrameHeader header = FrameHeader.read(bytes, at, content.end(), settings.storeId());
      if (header == null || !header.isBodyWhole(bytes, at, content.end())) {
        throw new DamagedException(segment.fileName(), at, "a frame has changed");
      }
      int end = at + FrameHeader.BYTES + header.bodyBytes();
      readEntries(segment, codec, bytes, at + FrameHeader.BYTES, end, reader);
      at = end;
    }
  }

  // Forgetting.

  /** Returns the segment that is written to. */
  @Nullable Segment last() {
    return last;
  }

  /** Returns the oldest segment if it is not the one that is written to. */
  @Nullable Segment oldestSealed() {
    Segment oldest = segments.isEmpty() ? null : segments.firstEntry().getValue();
    return oldest == last ? null : oldest;
  }

  /** Returns the segments that are written to no more. */
  List<Segment> sealed() {
    return segments.values().stream().filter(segment -> segment.sealed).toList();
  }

  /** Tells whether at most a quarter of what the sealed segments have is current. */
  boolean isMostlyDead() {
    long live = 0;
    long records = 0;
    for (Segment segment : sealed()) {
      live += segment.live;
      records += segment.records;
    }
    return live * 4 < records;
  }

  /** Returns the largest token that was ever forgotten. */
  long floor() {
    return floor;
  }

  /** Records were forgotten with tokens up to this one; kept when a segment is dropped. */
  void raiseFloor(long token) {
    floor = Math.max(floor, token);
  }

  /** Drops a sealed segment, of which nothing is needed any more. */
  void drop(Segment segment) throws IOException {
    segments.remove(segment.base);
    recent = null;
    segment.data.close();
    disk.delete(segment.fileName());
  }

  @Override
  public void close() throws IOException {
    for (Segment segment : new ArrayList<>(segments.values())) {
      segment.data.close();
    }
  }
}
