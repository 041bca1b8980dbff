package dev.onlyonce.spi;

import java.util.List;

/**
 * Takes records as they are: how caches are filled and stores rebuilt. It decides nothing.
 *
 * <p><b>Guarantee.</b> A record is written if there is none for its key or if the one that is there
 * has a smaller token, in one atomic step. A store that is used for copies replaces a DONE record
 * by one with the same token that ends later, too: the same record, copied again. Records must have
 * their key.
 *
 * <p><b>Thread-safety.</b> Any number of threads. <b>Failure.</b> {@link StoreException}.
 */
public interface RecordSink {

  /** Writes records; tells for each, in order, whether it was written. */
  List<Boolean> put(List<ClaimRecord> batch);
}
