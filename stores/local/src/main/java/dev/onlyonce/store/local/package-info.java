/**
 * {@link dev.onlyonce.store.local.LocalStore}: claims in a directory of this machine, durable
 * before they are answered.
 */
@NullMarked
package dev.onlyonce.store.local;

import org.jspecify.annotations.NullMarked;
