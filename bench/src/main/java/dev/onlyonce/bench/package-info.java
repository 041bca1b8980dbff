/**
 * Benchmarks of OnlyOnce beside what people use today. {@link dev.onlyonce.bench.Report} runs them.
 */
@NullMarked
package dev.onlyonce.bench;

import org.jspecify.annotations.NullMarked;
