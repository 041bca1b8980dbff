/** Is in two modules. */
@NullMarked
package dev.onlyonce.planted;

import org.jspecify.annotations.NullMarked;
