package dev.onlyonce.app.input;

import java.util.Arrays;

/**
 * Records that follow one another in one input, as ranges of one buffer that is used again for the
 * next batch. A {@link RecordReader} fills it; until the next fill, everything here may be read, by
 * one thread or by several. It can be handed to another thread through anything that publishes
 * safely, such as a queue.
 *
 * <p>An entry is a record, or a part of an over-long one ({@link #part}). All positions are indices
 * into {@link #bytes}.
 */
public final class RecordBatch {
  private static final int DEFAULT_CAPACITY = 256 << 10;
  private static final int PART_SHIFT = 8;

  private final int capacity;
  private byte[] bytes;
  private int size;
  private int[] starts = new int[1024];
  private int[] ends = new int[1024];
  private int[] lines = new int[1024];
  private short[] states = new short[1024];

  private String inputName = "";
  private long firstLine;
  private long firstNumber;
  private long ended;
  private boolean bom;
  private int maxRecord;

  // What follows is between the reader and its framer: the record that has begun but not ended.
  /** Where the record begins that has not ended yet. */
  int open;

  /** Up to where the framer has looked. */
  int scanned;

  /** Up to where there are bytes. */
  int filled;

  /** True if an earlier part of the open record has been handed out. */
  boolean continuing;

  /** The line on which the open record begins. */
  long openLine;

  /** An empty batch with a buffer that is good for most inputs (256 KiB). */
  public RecordBatch() {
    this(DEFAULT_CAPACITY);
  }

  RecordBatch(int capacity) {
    this.capacity = capacity;
    this.bytes = new byte[capacity];
  }

  /** The buffer that all positions mean; only its ranges {@code start} to {@code end} are valid. */
  public byte[] bytes() {
    return bytes;
  }

  /** How many entries there are. */
  public int size() {
    return size;
  }

  /** Where entry {@code i} begins; a byte order mark before it is not part of it. */
  public int start(int i) {
    return starts[i];
  }

  /** Where entry {@code i} ends, behind its line end. */
  public int end(int i) {
    return ends[i];
  }

  /** Where entry {@code i} ends, before its line end: LF, CR LF, or nothing at the end of input. */
  public int contentEnd(int i) {
    return contentEnd(starts[i], ends[i]);
  }

  /** The line of the input on which the record of entry {@code i} begins, from 1. */
  public long line(int i) {
    return firstLine + lines[i];
  }

  /** The number of the record in its input, from 1, the header not counted. */
  public long number(int i) {
    return firstNumber + i;
  }

  /** Which part of a record entry {@code i} is. */
  public Part part(int i) {
    return Part.of(states[i] >> PART_SHIFT);
  }

  /** What is wrong with the record of entry {@code i}. */
  public Problem problem(int i) {
    return Problem.of(states[i] & 0xFF);
  }

  /** True if entry {@code i} is a whole and well-formed record: what nearly all are. */
  public boolean isPlain(int i) {
    return states[i] == 0;
  }

  /**
   * True if entry {@code i} is no record of this format but a blank line between records: it has
   * nothing but spaces, tabs and its line end. A tab that delimits fields makes a record, and among
   * plain lines every line is one.
   */
  public boolean isBlank(int i, Format format) {
    if (format == Format.LINES || part(i) != Part.WHOLE) {
      return false;
    }
    for (int at = starts[i]; at < ends[i]; at++) {
      byte b = bytes[at];
      boolean blank = b == ' ' || b == '\t' || b == '\r' || b == '\n';
      if (!blank || b == format.delimiter()) {
        return false;
      }
    }
    return true;
  }

  /** True if the input began with a byte order mark and entry {@code i} followed it directly. */
  public boolean followsByteOrderMark(int i) {
    return bom && i == 0;
  }

  /** The input that all entries came from, as messages name it. */
  public String inputName() {
    return inputName;
  }

  /** {@code NAME, line N}: where the record of entry {@code i} begins, for messages. */
  public String place(int i) {
    return inputName + ", line " + line(i);
  }

  // ---- for the reader ----

  /** Empties the batch for entries of the named input, the first of which begins at this line. */
  void begin(String name, long line, long number, boolean afterBom, int maxRecordBytes) {
    if (bytes.length > 4 * capacity) {
      bytes = new byte[capacity];
    }
    inputName = name;
    firstLine = line;
    openLine = line;
    firstNumber = number;
    bom = afterBom;
    maxRecord = maxRecordBytes;
    size = 0;
    ended = 0;
    open = 0;
    scanned = 0;
    filled = 0;
    continuing = false;
  }

  /**
   * Makes room for {@code wanted} bytes, or as many as the normal buffer has, behind the filled
   * ones; returns the room. Where the buffer grows, it at least doubles, so that growing costs a
   * constant for each byte, but not far beyond the longest record.
   */
  int room(int wanted) {
    int least = Math.min(wanted, capacity);
    if (bytes.length - filled < least) {
      long most = (long) maxRecord + capacity + 2;
      long doubled = Math.min(2L * bytes.length, most);
      bytes = Arrays.copyOf(bytes, (int) Math.max(doubled, filled + least));
    }
    return bytes.length - filled;
  }

  /** Makes room for exactly these bytes, in an empty batch, and takes them over. */
  void restore(byte[] kept, int length) {
    if (bytes.length < length) {
      bytes = new byte[length];
    }
    System.arraycopy(kept, 0, bytes, 0, length);
    filled = length;
  }

  /** How many bytes the record has that has not ended yet, its earlier parts not counted. */
  int openBytes() {
    return filled - open;
  }

  /** The number that the record after the last ended one has. */
  long nextNumber() {
    return firstNumber + ended;
  }

  /** Ends the open record before position {@code end}; it took this many lines. */
  void endRecord(int end, int lineCount, Problem problem) {
    Problem found = problem;
    if (continuing || (end - open > maxRecord && contentEnd(open, end) - open > maxRecord)) {
      found = Problem.OVER_LONG;
    }
    add(end, found, continuing ? Part.LAST : Part.WHOLE);
    continuing = false;
    openLine += lineCount;
    ended++;
  }

  /** Hands out what has been scanned of the open record as a part of it. */
  void cut() {
    add(scanned, Problem.OVER_LONG, continuing ? Part.MIDDLE : Part.FIRST);
    continuing = true;
  }

  /** Takes the first entry away, as if it had come before this batch. */
  void dropFirst() {
    int firstGone = size > 1 ? lines[1] : (int) (openLine - firstLine);
    size--;
    System.arraycopy(starts, 1, starts, 0, size);
    System.arraycopy(ends, 1, ends, 0, size);
    System.arraycopy(lines, 1, lines, 0, size);
    System.arraycopy(states, 1, states, 0, size);
    for (int i = 0; i < size; i++) {
      lines[i] -= firstGone;
    }
    firstLine += firstGone;
    ended--;
    bom = false;
  }

  private void add(int end, Problem problem, Part part) {
    if (size == starts.length) {
      grow();
    }
    starts[size] = open;
    ends[size] = end;
    lines[size] = (int) (openLine - firstLine);
    states[size] = (short) (part.code() << PART_SHIFT | problem.code());
    size++;
    open = end;
  }

  private void grow() {
    int wanted = 2 * size;
    starts = Arrays.copyOf(starts, wanted);
    ends = Arrays.copyOf(ends, wanted);
    lines = Arrays.copyOf(lines, wanted);
    states = Arrays.copyOf(states, wanted);
  }

  private int contentEnd(int start, int end) {
    int at = end;
    if (at > start && bytes[at - 1] == '\n') {
      at--;
    }
    // Without LF, at the end of an input, it is what was left of CR LF.
    if (at > start && bytes[at - 1] == '\r') {
      at--;
    }
    return at;
  }
}
