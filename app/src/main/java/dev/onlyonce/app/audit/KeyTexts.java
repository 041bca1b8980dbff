package dev.onlyonce.app.audit;

import dev.onlyonce.Key;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** The keys themselves, one behind the other in the order in which they came. */
final class KeyTexts {

  private static final int CHUNK_BYTES = 1 << 20;
  private static final int LENGTH_BYTES = 2;

  private final List<byte[]> chunks = new ArrayList<>();

  /** Where the keys of each chunk end. */
  private final List<Integer> ends = new ArrayList<>();

  private int at = CHUNK_BYTES;

  void add(Key key) {
    if (CHUNK_BYTES - at < LENGTH_BYTES + key.length()) {
      chunks.add(new byte[CHUNK_BYTES]);
      ends.add(0);
      at = 0;
    }
    byte[] chunk = chunks.get(chunks.size() - 1);
    chunk[at] = (byte) (key.length() >>> 8);
    chunk[at + 1] = (byte) key.length();
    at = key.copyTo(chunk, at + LENGTH_BYTES);
    ends.set(ends.size() - 1, at);
  }

  void forEach(Consumer<Key> visitor) {
    for (int i = 0; i < chunks.size(); i++) {
      byte[] chunk = chunks.get(i);
      int from = 0;
      while (from < ends.get(i)) {
        int length = (chunk[from] & 0xFF) << 8 | (chunk[from + 1] & 0xFF);
        int start = from + LENGTH_BYTES;
        from = start + length;
        visitor.accept(Key.fromStored(Arrays.copyOfRange(chunk, start, from)));
      }
    }
  }

  long bytes() {
    return (long) chunks.size() * CHUNK_BYTES;
  }
}
