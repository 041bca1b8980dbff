package dev.onlyonce.spi;

import java.util.List;

/**
 * Remembers claims: four blocking verbs, of which three take a batch and the last one purges.
 *
 * <p><b>Guarantee.</b> Each item of a batch is one atomic step on its record, decided as {@link
 * ClaimMachine} decides it, at the store's own time. Items are independent: one batch may mix
 * scopes, callers and policies, and the whole of it is not a transaction. Items of one batch with
 * the same scope and key take effect in the order of the batch.
 *
 * <p><b>Answers</b> come in the order of the request, one for each item. When a verb throws, the
 * outcome of every item is unknown: claims may be asked again with the same request id, settlements
 * and renewals as they are.
 *
 * <p><b>Thread-safety.</b> Any number of threads.
 *
 * <p><b>Failure.</b> {@link StoreException} and nothing else for what the store cannot do; a store
 * that is down, full or in doubt about itself never answers that a key may run.
 *
 * <p>The contract is executable: a store's test extends {@code ClaimStoreContract} of the test kit.
 */
public interface ClaimStore extends AutoCloseable {

  /** Claims each key, or answers what is known of it. */
  List<Answer> claim(List<ClaimRequest> batch);

  /** Settles each claim: completes, fails or releases it, if it is still held. */
  List<Held> settle(List<? extends Settlement> batch);

  /**
   * Settles as {@link #settle} does; but of a batch of several, what can be settled now does not
   * wait for the rest, which may be answered {@link Held#UNKNOWN}. It is for batches that were put
   * together of several callers' claims. A store whose claims never wait for one another has
   * nothing to add.
   */
  default List<Held> settleFree(List<? extends Settlement> batch) {
    return settle(batch);
  }

  /**
   * Renews the lease of each claim that is still held, and saves its checkpoint if one is given. Of
   * a batch of several, what can be renewed now does not wait for the rest, which may be answered
   * {@link Held#UNKNOWN}.
   */
  List<Held> renew(List<Renewal> batch);

  /**
   * Returns the largest result that the store keeps, in bytes. Engines do not bring larger ones,
   * and tell of each that was not kept.
   */
  default int maxResultBytes() {
    return Integer.MAX_VALUE;
  }

  /**
   * Forgets settled records whose retention, and a grace after it, are over: one bounded step of
   * background work. Records that are claimed stay, however old.
   *
   * @param limit how many records to forget at the most, from 1
   * @return how many were forgotten; 0 when there was nothing to do
   */
  int purge(int limit);

  /** Frees what the store holds; later calls throw {@link StoreException}. Never throws. */
  @Override
  void close();
}
