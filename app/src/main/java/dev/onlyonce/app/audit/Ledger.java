package dev.onlyonce.app.audit;

import dev.onlyonce.Key;
import dev.onlyonce.app.Failure;
import dev.onlyonce.spi.KeyHash;
import dev.onlyonce.spi.KeyHash.Hash;
import dev.onlyonce.spi.KeyTable;

/**
 * What has become of each key: where it was sent first, and where and how often it has taken
 * effect. About 60 bytes a key, and the key. Not thread-safe.
 */
final class Ledger {

  private static final int TABLES = 64;
  private static final int SENT = 2;
  private static final int FIRST_EFFECT = 3;
  private static final int SECOND_EFFECT = 4;
  private static final int TIMES = 5;
  private static final int LONGS = 6;

  /** The longs of an entry, and its part of the index. */
  private static final int ENTRY_BYTES = LONGS * Long.BYTES + 11;

  private final KeyHash secret = KeyHash.random();
  private final KeyTable[] tables = new KeyTable[TABLES];
  private final KeyTexts texts = new KeyTexts();
  private final long mostBytes;
  private long keys;
  private long sentKeys;
  private long effectKeys;
  private long matched;
  private long doubled;

  /**
   * @param mostBytes how much memory the keys may take
   */
  Ledger(long mostBytes) {
    this.mostBytes = mostBytes;
    for (int i = 0; i < TABLES; i++) {
      tables[i] = new KeyTable(LONGS);
    }
  }

  /** Is told of each key with the numbers of its places, 0 for none. */
  interface Visitor {
    void visit(Key key, long sent, long times, long firstEffect, long secondEffect);
  }

  /** The key was sent; all that is to be sent must be told before the first effect. */
  void sent(Key key, long place) {
    Hash hash = secret.of(key);
    KeyTable table = table(hash);
    if (table.find(hash) < 0) {
      table.set(add(table, hash, key), SENT, place);
      sentKeys++;
    }
  }

  /** The key has taken effect. */
  void effect(Key key, long place) {
    Hash hash = secret.of(key);
    KeyTable table = table(hash);
    int slot = table.find(hash);
    if (slot < 0) {
      slot = add(table, hash, key);
    }
    long times = table.get(slot, TIMES) + 1;
    table.set(slot, TIMES, times);
    if (times == 1) {
      table.set(slot, FIRST_EFFECT, place);
      effectKeys++;
      matched += table.get(slot, SENT) == 0 ? 0 : 1;
    } else if (times == 2) {
      table.set(slot, SECOND_EFFECT, place);
      doubled++;
    }
  }

  private KeyTable table(Hash hash) {
    return tables[(int) (hash.second() >>> 58)];
  }

  private int add(KeyTable table, Hash hash, Key key) {
    if (!table.hasRoom() || keys * ENTRY_BYTES + texts.bytes() > mostBytes) {
      throw Failure.tooManyKeys(keys, "compare the files in parts");
    }
    texts.add(key);
    keys++;
    return table.add(hash);
  }

  /** Shows all keys: those that were sent in their order, then the others in theirs. */
  void forEach(Visitor visitor) {
    texts.forEach(
        key -> {
          Hash hash = secret.of(key);
          KeyTable table = table(hash);
          int slot = table.find(hash);
          visitor.visit(
              key,
              table.get(slot, SENT),
              table.get(slot, TIMES),
              table.get(slot, FIRST_EFFECT),
              table.get(slot, SECOND_EFFECT));
        });
  }

  long sentKeys() {
    return sentKeys;
  }

  long effectKeys() {
    return effectKeys;
  }

  long missing() {
    return sentKeys - matched;
  }

  long doubled() {
    return doubled;
  }

  long unexpected() {
    return effectKeys - matched;
  }
}
