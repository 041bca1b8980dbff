/**
 * {@link dev.onlyonce.store.redis.RedisStore}: claims in Redis or Redis Cluster, decided by scripts
 * on the server.
 */
@NullMarked
package dev.onlyonce.store.redis;

import org.jspecify.annotations.NullMarked;
