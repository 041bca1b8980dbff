/**
 * {@link dev.onlyonce.broker.rabbitmq.RabbitSource} and {@link
 * dev.onlyonce.broker.rabbitmq.RabbitPublisher}: what consumers and producers of RabbitMQ need, on
 * the plain client.
 */
@NullMarked
package dev.onlyonce.broker.rabbitmq;

import org.jspecify.annotations.NullMarked;
