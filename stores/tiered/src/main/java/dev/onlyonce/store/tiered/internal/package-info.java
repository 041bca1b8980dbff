/** The tiers of a tiered store. */
@NullMarked
package dev.onlyonce.store.tiered.internal;

import org.jspecify.annotations.NullMarked;
