/**
 * {@link dev.onlyonce.testkit.sim.Simulation} runs the production engine in a world of one thread
 * and one seed, in which everything fails that can.
 */
@NullMarked
package dev.onlyonce.testkit.sim;

import org.jspecify.annotations.NullMarked;
