/** The inside of core; other modules keep out, except for the test kit and the benchmarks. */
@NullMarked
package dev.onlyonce.internal;

import org.jspecify.annotations.NullMarked;
