/**
 * The {@code onlyonce} program. This package has what its parts agree on: how a run ends ({@link
 * dev.onlyonce.app.ExitCode}) and how it is given up with one sentence ({@link
 * dev.onlyonce.app.Failure}). {@code input} and {@code output} move records, {@code dedup} and
 * {@code audit} compare them, {@code claims} is what an operator sees and does, {@code demo} shows
 * the problem and the cure; {@code cli} is the door.
 */
@NullMarked
package dev.onlyonce.app;

import org.jspecify.annotations.NullMarked;
