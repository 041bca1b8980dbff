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

  /**
   * @param segmentBytes a segment that has become this long is the last one no more
   * @param syncs whether each frame is synced before it counts as written
   * @param writes whether this is the log of a writer, who cuts off what a crash left
   */
  record Settings(long storeId, int segmentBytes, boolean syncs, boolean writes) {}

  private static final int LARGEST_ALLOCATION = 8 << 20;
  private static final int SMALLEST_ALLOCATION = 64 << 10;

  /**
   * Room behind the last frame that only housekeeping and the end of a segment use, so that a full
   * disk can be made emptier.
   */
  private static final int RESERVE = 4 << 10;

  /** The part of the free room that is taken ahead at most: others write to the disk too. */
  private static final int PART_AHEAD = 8;

  /** The file of the next segment, before it has its header and its name. */
  private static final String NEXT = "log.new";

  private static final int READ_AHEAD = 512;

  /** The most that one frame may have. */
  static final int MAX_FRAME_BYTES = 64 << 20;

  final Disk disk;
  final Settings settings;

  // Made by recovery, and gone on with from there.
  final TreeMap<Long, Segment> segments = new TreeMap<>();
  @Nullable Segment last;
  long sequence;
  long synced;
  long lastMicros;
  private long floor;

  private final Bytes frame = new Bytes(1 << 16);
  private @Nullable Segment recent;
  private int namesBefore;
  private int recordsBefore;

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

  // Writing.

  /**
   * Begins a frame.
   *
   * @param micros the store's time
   * @param inReserve whether it is for the reserve, so that no segment is begun for it
   * @return whether it is the first one of a segment
   * @throws NotWrittenException if there is no room for another segment; nothing has happened then
   */
  boolean begin(long micros, boolean inReserve) throws IOException {
    Segment segment = last;
    boolean isLong = segment != null && segment.end >= settings.segmentBytes();
    boolean rolls = segment == null || segment.sealed || (isLong && !inReserve);
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
   * @param inReserve whether the frame may use up the reserve
   * @throws NotWrittenException if there is none; nothing has happened then
   */
  void allocate(boolean inReserve) throws IOException {
    Segment segment = Objects.requireNonNull(last);
    long needed = segment.end + frame.end() + (inReserve ? 0 : RESERVE);
    if (needed <= segment.allocated) {
      return;
    }
    long ahead = Math.min(LARGEST_ALLOCATION, Math.max(SMALLEST_ALLOCATION, segment.allocated));
    long free = Math.min(ahead, disk.room() / PART_AHEAD);
    long wanted = Math.max(needed, Math.min(needed + free, settings.segmentBytes()));
    try {
      grow(segment, wanted);
    } catch (IOException e) {
      segment.allocated = segment.data.size(); // a part may have found room
      if (needed > segment.allocated) {
        grow(segment, needed);
      }
    }
  }

  private void grow(Segment segment, long size) throws NotWrittenException {
    int more = (int) (size - segment.allocated);
    try {
      segment.data.write(ByteBuffer.allocate(more), segment.allocated);
    } catch (IOException e) {
      throw NotWrittenException.of(disk, more, e);
    }
    segment.allocated = size;
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
    // The room for the next segment comes first, so that this one goes on if there is none.
    Disk.Data next = prepare();
    try {
      if (last != null) {
        seal(last, micros);
      }
      Segment segment = create(next, last == null ? 0 : last.endPosition(), micros / 1_000);
      segments.put(segment.base, segment);
      last = segment;
      return segment;
    } catch (IOException e) {
      next.close();
      throw e;
    }
  }

  private Disk.Data prepare() throws NotWrittenException {
    int bytes = Segment.HEADER + 2 * RESERVE;
    try {
      disk.delete(NEXT); // one that could not be made completely
      Disk.Data data = disk.create(NEXT);
      try {
        data.write(ByteBuffer.allocate(bytes), 0);
        data.sync();
        return data;
      } catch (IOException e) {
        data.close();
        disk.delete(NEXT);
        throw e;
      }
    } catch (IOException e) {
      throw NotWrittenException.of(disk, bytes, e);
    }
  }

  private Segment create(Disk.Data data, long base, long millis) throws IOException {
    Bytes header = new Bytes(Segment.HEADER);
    Segment segment =
        Segment.begin(settings.storeId(), base, sequence + 1, floor, millis, data, header);
    data.write(ByteBuffer.wrap(header.array(), 0, Segment.HEADER), 0);
    data.sync();
    disk.rename(NEXT, segment.fileName());
    disk.sync();
    segment.allocated = data.size();
    return segment;
  }

  private void seal(Segment segment, long micros) throws IOException {
    if (segment.sealed) {
      return;
    }
    frame.cut(0);
    frame.skip(FrameHeader.BYTES);
    segment.codec.writeEnd(frame);
    allocate(true);
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

  /** Shows the entries of a frame. */
  static void readEntries(
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
    letGo(segment);
    disk.delete(segment.fileName());
  }

  /** Closes a segment of which nothing is needed any more. */
  void letGo(Segment segment) throws IOException {
    segment.isDropped = true;
    segments.remove(segment.base);
    recent = null;
    segment.data.close();
  }

  /** Returns the segments that somebody else has dropped, who writes. */
  List<Segment> gone() throws IOException {
    List<String> files = disk.list();
    return sealed().stream()
        .filter(segment -> segment != last && !files.contains(segment.fileName()))
        .toList();
  }

  @Override
  public void close() throws IOException {
    for (Segment segment : new ArrayList<>(segments.values())) {
      segment.data.close();
    }
  }
}
