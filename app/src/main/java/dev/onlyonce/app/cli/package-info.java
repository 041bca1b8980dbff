/**
 * The command line: {@link dev.onlyonce.app.cli.Main} and one class for each command. Commands read
 * options and show results; what they do is elsewhere.
 */
@NullMarked
package dev.onlyonce.app.cli;

import org.jspecify.annotations.NullMarked;
