package dev.onlyonce.spi;

import dev.onlyonce.Claim;
import java.time.Duration;
import java.util.List;

/**
 * Claims that live and die with the caller's own transaction: claim, effect and result commit
 * together, so that the effect happens exactly once in that database.
 *
 * <p><b>Guarantee.</b> Nothing is visible to others before the caller commits, nothing is left
 * after it rolls back. No second connection is taken. The answers are those of {@link ClaimStore},
 * except that a key which another open transaction has claimed is {@link Answer.InProgress}.
 *
 * <p><b>Thread-safety.</b> That of the transaction object: one thread at a time for each.
 *
 * <p><b>Failure.</b> {@link StoreException}; the caller rolls back.
 *
 * @param <T> the transaction's type, such as {@code java.sql.Connection}
 */
public interface TransactionalStore<T> {

  /**
   * Claims each key inside the transaction, or answers what is known of it.
   *
   * @param maxWait how long to wait, all in all, for other transactions that hold a key
   */
  List<Answer> claim(T transaction, List<ClaimRequest> batch, Duration maxWait);

  /** Settles each claim inside the transaction. */
  List<Held> settle(T transaction, List<? extends Settlement> batch);

  /**
   * Tells whether a claim is held, and keeps it so until the transaction ends: the fence for an
   * effect in the database of a claim that was made outside of this transaction.
   */
  boolean holds(T transaction, Claim claim);
}
