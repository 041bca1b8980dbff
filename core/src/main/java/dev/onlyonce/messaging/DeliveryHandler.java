package dev.onlyonce.messaging;

import dev.onlyonce.Attempt;
import dev.onlyonce.spi.Delivery;
import org.jspecify.annotations.Nullable;

/**
 * What must take effect once for each key, given the delivery that brought it.
 *
 * <p>Any number of threads call it, but only one at a time for one ordering key. What it throws
 * decides what becomes of the message, see {@link dev.onlyonce.OnFailure}.
 *
 * @param <R> what it returns, kept for duplicates
 */
@FunctionalInterface
public interface DeliveryHandler<R extends @Nullable Object> {

  /** Handles the message; {@code attempt} is good until this method returns. */
  R handle(Delivery delivery, Attempt attempt) throws Exception;

  /** A handler without a result, which does not ask for its attempt either. */
  @FunctionalInterface
  interface Action {

    /** Handles the message. */
    void handle(Delivery delivery) throws Exception;
  }
}
