package dev.onlyonce.app.dedup;

import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import java.util.List;

/**
 * Remembers which keys have come. Keys that are claimed are remembered for good only when their
 * records have been {@link #written()}, so that what is remembered never runs ahead of the output.
 */
public interface SeenKeys {

  /** Claims the keys of records, which are not written yet; who is granted a claim came first. */
  List<Answer> claim(List<ClaimRequest> batch);

  /** All records whose keys were claimed have been written, and their outputs are flushed. */
  void written();

  /** Forgets what has gone out of the window; returns how many keys. */
  int forget();
}
