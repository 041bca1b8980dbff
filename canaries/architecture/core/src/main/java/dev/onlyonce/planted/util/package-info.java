/** Has a name that says nothing. */
@NullMarked
package dev.onlyonce.planted.util;

import org.jspecify.annotations.NullMarked;
