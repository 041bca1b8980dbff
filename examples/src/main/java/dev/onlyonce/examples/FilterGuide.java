package dev.onlyonce.examples;

import dev.onlyonce.filter.BloomFilter;
import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.filter.RotatingBloomFilter;
import dev.onlyonce.filter.ScalableBloomFilter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;

/** The pieces of docs/guides/filter.md; a test compares them and runs them. */
final class FilterGuide {

  /** What is asked when a filter says "maybe". */
  interface Archive {
    boolean has(byte[] key);
  }

  // region first
  BloomFilter filter = KeyFilter.forKeys(10_000_000).errorRate(0.001).fixed();

  boolean isKnown(byte[] key, Archive archive) {
    return filter.mightContain(key) && archive.has(key);
  }

  // endregion

  // region kinds
  ScalableBloomFilter growing() {
    return KeyFilter.forKeys(1_000_000).errorRate(0.0001).offHeap().scalable();
  }

  RotatingBloomFilter ofADay(InstantSource time) {
    return KeyFilter.forKeys(5_000_000).rotating(Duration.ofDays(1), time);
  }

  // endregion

  // region batch
  int countNew(byte[][] keys) {
    long[] hashes = new long[keys.length];
    for (int i = 0; i < keys.length; i++) {
      hashes[i] = filter.hash(keys[i]);
    }
    return filter.putAll(hashes);
  }

  // endregion

  // region save
  void save(Path file) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      filter.save(out);
    }
  }

  void load(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      filter = BloomFilter.load(in);
    }
  }

  // endregion

  // region union
  BloomFilter ofAll(Iterable<BloomFilter> shards) {
    BloomFilter all = KeyFilter.forKeys(10_000_000).seed(42).fixed();
    for (BloomFilter shard : shards) {
      all.union(shard);
    }
    return all;
  }

  // endregion
}
