/**
 * How a Redis store finds its nodes, packs its records and calls its scripts. Not for use by
 * others.
 */
@NullMarked
package dev.onlyonce.store.redis.internal;

import org.jspecify.annotations.NullMarked;
