/**
 * A {@link dev.onlyonce.testkit.history.HistoryFile} is what several processes did, written down as
 * they did it, and {@link dev.onlyonce.testkit.history.HistoryChecker} says whether that was right.
 */
@NullMarked
package dev.onlyonce.testkit.history;

import org.jspecify.annotations.NullMarked;
