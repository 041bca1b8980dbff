/** Statements and what is around them; not for users. */
@NullMarked
package dev.onlyonce.store.jdbc.internal;

import org.jspecify.annotations.NullMarked;
