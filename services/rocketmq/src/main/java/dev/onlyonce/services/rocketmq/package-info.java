/** RocketMQ's name server and broker as one program. */
@NullMarked
package dev.onlyonce.services.rocketmq;

import org.jspecify.annotations.NullMarked;
