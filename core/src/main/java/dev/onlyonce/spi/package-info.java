/**
 * What stores and brokers implement: {@link dev.onlyonce.spi.ClaimStore} and the types that it
 * speaks in, and beside it the seams of messaging.
 */
@NullMarked
package dev.onlyonce.spi;

import org.jspecify.annotations.NullMarked;
