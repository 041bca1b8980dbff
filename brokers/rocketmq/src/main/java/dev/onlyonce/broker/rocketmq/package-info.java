/**
 * {@link dev.onlyonce.broker.rocketmq.RocketSource}: what consumers and producers of RocketMQ need,
 * on its Remoting client.
 */
@NullMarked
package dev.onlyonce.broker.rocketmq;

import org.jspecify.annotations.NullMarked;
