/** Blocks of bits, their locks, what their error rate is, and how they are written down. */
@NullMarked
package dev.onlyonce.filter.internal;

import org.jspecify.annotations.NullMarked;
