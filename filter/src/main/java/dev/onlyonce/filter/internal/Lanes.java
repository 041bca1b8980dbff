package dev.onlyonce.filter.internal;

/**
 * The lanes of blocks, all zero at first: eight of 64 bits a block. Writers of a block keep one
 * another away; readers need not be kept away.
 *
 * <p>A call is for a block, not for a lane: a program that has filters in both kinds of memory pays
 * one comparison of classes a look-up, and one that has only one kind pays nothing.
 */
abstract class Lanes {

  /**
   * Looks at the bit in each lane that six bits of a pattern choose. The lowest bit of what is
   * returned is set if all eight are; the others say nothing. The first lane is read with acquire,
   * so that a look-up in a loop is not taken out of the loop by the compiler.
   */
  abstract long hits(int block, long pattern);

  /** Returns a lane of a moment ago. */
  abstract long get(int block, int lane);

  /** Writes a lane, with all that was written before. */
  abstract void set(int block, int lane, long bits);
}
