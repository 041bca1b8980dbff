/** Stores of every kind, found by their addresses and opened for the commands. */
@NullMarked
package dev.onlyonce.app.store;

import org.jspecify.annotations.NullMarked;
