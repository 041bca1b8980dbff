/**
 * {@link dev.onlyonce.testkit.ClaimStoreContract} holds a claim store to what OnlyOnce promises;
 * beside it stand manual time and a store that fails on demand.
 *
 * <p>{@link dev.onlyonce.testkit.Semantics} and {@link dev.onlyonce.testkit.Case} say what a test
 * shows, by number.
 */
@NullMarked
package dev.onlyonce.testkit;

import org.jspecify.annotations.NullMarked;
