package dev.onlyonce.broker.kafka;

import dev.onlyonce.spi.KeyHash;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Counts records, and those that came before. One thread counts, any number read. */
final class DuplicateCounts implements DuplicateMetricsMXBean {
  private final int most;
  private final KeyHash hash = KeyHash.random();

  /** The oldest first. */
  private final Set<KeyHash.Hash> keys = new LinkedHashSet<>();

  private final Map<TopicPartition, Long> highest = new HashMap<>();
  private final LongAdder records = new LongAdder();
  private final LongAdder copies = new LongAdder();
  private final LongAdder redeliveries = new LongAdder();
  private final LongAdder keyless = new LongAdder();
  private volatile int remembered;

  DuplicateCounts(int most) {
    this.most = most;
  }

  void count(TopicPartition partition, long offset, byte @Nullable [] key) {
    records.increment();
    if (offset <= highest.getOrDefault(partition, -1L)) {
      redeliveries.increment();
      return;
    }
    highest.put(partition, offset);
    if (key == null || key.length == 0) {
      keyless.increment();
    } else if (!remember(key)) {
      copies.increment();
    }
  }

  /** Whether the key is new. */
  private boolean remember(byte[] key) {
    boolean isNew = keys.add(hash.of(key, 0, key.length));
    if (keys.size() > most) {
      Iterator<KeyHash.Hash> oldest = keys.iterator();
      oldest.next();
      oldest.remove();
    }
    remembered = keys.size();
    return isNew;
  }

  @Override
  public long getRecords() {
    return records.sum();
  }

  @Override
  public long getCopies() {
    return copies.sum();
  }

  @Override
  public long getRedeliveries() {
    return redeliveries.sum();
  }

  @Override
  public long getKeyless() {
    return keyless.sum();
  }

  @Override
  public int getRemembered() {
    return remembered;
  }
}
