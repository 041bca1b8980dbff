/**
 * A {@link dev.onlyonce.filter.KeyFilter} tells in a few nanoseconds and two bytes a key that a key
 * was never seen, or that it may have been.
 */
@NullMarked
package dev.onlyonce.filter;

import org.jspecify.annotations.NullMarked;
