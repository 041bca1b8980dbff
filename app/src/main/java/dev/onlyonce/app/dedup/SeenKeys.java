package dev.onlyonce.app.dedup;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.output.Outputs;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which keys have come. Keys that are claimed are remembered for good only when their
 * records have been {@link #written}, so that what is remembered never runs ahead of the output.
 * Who forgets all at the end of the run need not care for that.
 */
public interface SeenKeys extends AutoCloseable {

  /** Returns what is known of files that runs before have written; null if they are not known. */
  default Outputs.@Nullable Marks marks() {
    return null;
  }

  /**
   * A run begins: its outputs are begun.
   *
   * @param firstRecord a digest of the first record, by which an input is known again
   * @param layout what keys mean in this input, see {@link KeyExpressions#layout}; null if it is
   *     empty
   * @return how many of the records that come now a run before has delivered, which was interrupted
   */
  default long begin(Outputs outputs, byte[] firstRecord, @Nullable String layout) {
    outputs.begin();
    return 0;
  }

  /** Claims the keys of records, which are not written yet; who is granted a claim came first. */
  List<Answer> claim(List<ClaimRequest> batch);

  /** Tells after each buffer of input whether records are better written now. */
  default boolean isDue() {
    return false;
  }

  /** Tells after each claim whether records must be written before more keys are claimed. */
  default boolean mustBeWritten() {
    return false;
  }

  /**
   * All records whose keys were claimed have been written, and their outputs are flushed.
   *
   * @param records how many there were since the beginning
   * @param isEnd whether they were the last ones
   */
  default void written(long records, boolean isEnd) {}

  /**
   * The run has failed, or is ended: of the records whose keys were granted, the first ones have
   * been handed to their output. Nothing is claimed any more. Never throws for what the store or an
   * output cannot do.
   *
   * @param passed how many there were since the beginning
   */
  default void endEarly(long passed) {}

  /**
   * Looks at the end of a run whether all that was claimed was kept.
   *
   * @throws Failure if records were written whose keys may have been passed on by others
   */
  default void requireKept() {}

  /** Forgets what has gone out of the window, behind {@link #written}; returns how many keys. */
  int forget();

  /** Returns the part of new keys that would be taken for known ones now; empty if none would. */
  default OptionalDouble estimatedErrorRate() {
    return OptionalDouble.empty();
  }

  /** Forgets keys whose records were not written, and frees what it holds. */
  @Override
  void close();
}
