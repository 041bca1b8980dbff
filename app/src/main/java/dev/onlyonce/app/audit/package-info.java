/**
 * {@link dev.onlyonce.app.audit.Audit}: compares what was sent with what has taken effect, key by
 * key.
 */
@NullMarked
package dev.onlyonce.app.audit;

import org.jspecify.annotations.NullMarked;
