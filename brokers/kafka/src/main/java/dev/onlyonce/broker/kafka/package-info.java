/**
 * {@link dev.onlyonce.broker.kafka.KafkaSource}: what consumers and producers of Kafka need, on the
 * plain client.
 */
@NullMarked
package dev.onlyonce.broker.kafka;

import org.jspecify.annotations.NullMarked;
