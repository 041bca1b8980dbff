/**
 * {@code onlyonce demo}: a payment platform, a worker that is killed again and again, and a bank
 * that charges what it is told, as processes of their own. {@link dev.onlyonce.app.demo.Demo} runs
 * them.
 *
 * <p>This process is the platform ({@code Platform}, {@code Backlog}) and starts the others ({@code
 * Child}, {@code Children}); {@code Worker} and {@code Bank} are their main classes.
 */
@NullMarked
package dev.onlyonce.app.demo;

import org.jspecify.annotations.NullMarked;
