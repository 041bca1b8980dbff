package dev.onlyonce.filter;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.onlyonce.filter.internal.Memory;

/**
 * What every filter is made for.
 *
 * @param errorRate that is promised
 * @param keys that there will be, at first if it grows, in a window if it forgets
 */
record Terms(long seed, double errorRate, long keys, Memory memory) {

  Terms of(double otherRate, long otherKeys) {
    return new Terms(seed, otherRate, otherKeys, memory);
  }

  Hasher64 hasher() {
    return Hashing.xxh3_64(seed);
  }
}
