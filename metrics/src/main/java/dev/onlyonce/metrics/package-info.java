/** {@link dev.onlyonce.metrics.OnlyOnceMetrics} shows what engines and stores do as meters. */
@NullMarked
package dev.onlyonce.metrics;

import org.jspecify.annotations.NullMarked;
