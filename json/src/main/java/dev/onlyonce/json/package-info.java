/**
 * {@link dev.onlyonce.json.JsonKeys} finds idempotency keys in JSON documents, and {@link
 * dev.onlyonce.json.JsonFingerprint} tells whether two documents say the same.
 */
@NullMarked
package dev.onlyonce.json;

import org.jspecify.annotations.NullMarked;
