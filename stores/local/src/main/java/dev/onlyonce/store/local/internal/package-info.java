/** How a local store keeps its log, its index and its time. Not for use by others. */
@NullMarked
package dev.onlyonce.store.local.internal;

import org.jspecify.annotations.NullMarked;
