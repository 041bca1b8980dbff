/**
 * Benchmarks of OnlyOnce beside what people use today. {@link dev.onlyonce.bench.Main} runs them.
 */
@NullMarked
package dev.onlyonce.bench;

import org.jspecify.annotations.NullMarked;
