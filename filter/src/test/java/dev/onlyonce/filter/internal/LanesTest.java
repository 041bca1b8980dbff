package dev.onlyonce.filter.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LanesTest {

  @Test
  void lanes_of_both_memories_and_of_several_slices_are_the_same() {
    SplittableRandom random = new SplittableRandom(1);
    for (int blocks : new int[] {1, 7, 8, 9, 100}) {
      Lanes heap = new HeapLanes(blocks);
      Lanes direct = new DirectLanes(blocks, 8);
      for (int step = 0; step < 5000; step++) {
        int block = random.nextInt(blocks);
        int lane = random.nextInt(ErrorModel.LANES);
        assertThat(direct.get(block, lane)).isEqualTo(heap.get(block, lane));
        heap.set(block, lane, heap.get(block, lane) | 1L << random.nextInt(64));
        direct.set(block, lane, heap.get(block, lane));
        long pattern = random.nextLong() >>> 16;
        assertThat(direct.hits(block, pattern)).isEqualTo(heap.hits(block, pattern));
        assertThat(heap.hits(block, pattern) & 1).isEqualTo(allEight(heap, block, pattern) ? 1 : 0);
      }
    }
  }

  private static boolean allEight(Lanes lanes, int block, long pattern) {
    boolean all = true;
    for (int i = 0; i < ErrorModel.LANES; i++) {
      all &= (lanes.get(block, i) >>> (pattern >>> (6 * i) & 63) & 1) == 1;
    }
    return all;
  }
}
