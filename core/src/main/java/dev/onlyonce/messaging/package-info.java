/**
 * {@link dev.onlyonce.messaging.MessageConsumer} handles what a broker delivers, once per key: it
 * polls, claims, runs handlers in order and in parallel, settles, acknowledges, retries and puts
 * dead letters aside.
 */
@NullMarked
package dev.onlyonce.messaging;

import org.jspecify.annotations.NullMarked;
