/**
 * {@link dev.onlyonce.store.tiered.TieredStore}: a database, a fast store, a near cache and a
 * filter as one claim store, of which one tier is the authority.
 */
@NullMarked
package dev.onlyonce.store.tiered;

import org.jspecify.annotations.NullMarked;
