/**
 * {@link dev.onlyonce.testkit.messaging.MemoryBroker} stands in for a broker in tests of consumers:
 * it redelivers, moves lanes between consumers and takes them away.
 */
@NullMarked
package dev.onlyonce.testkit.messaging;

import org.jspecify.annotations.NullMarked;
