package dev.onlyonce.filter.internal;

/** Where the bits of a filter lie. */
public enum Memory {
  /** In one array. */
  HEAP {
    @Override
    Lanes lanes(int blocks) {
      return new HeapLanes(blocks);
    }
  },

  /** In direct buffers, which the collector neither moves nor counts. */
  OFF_HEAP {
    @Override
    Lanes lanes(int blocks) {
      return new DirectLanes(blocks, DirectLanes.BLOCKS_A_SLICE);
    }
  };

  abstract Lanes lanes(int blocks);
}
