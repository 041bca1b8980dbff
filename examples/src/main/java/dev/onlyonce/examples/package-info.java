/** Small programs that the build runs, from which the documents are cut. */
@NullMarked
package dev.onlyonce.examples;

import org.jspecify.annotations.NullMarked;
