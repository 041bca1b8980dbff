/** How fast a store is from here. */
@NullMarked
package dev.onlyonce.app.bench;

import org.jspecify.annotations.NullMarked;
