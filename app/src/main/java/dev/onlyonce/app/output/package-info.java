/**
 * Writes records to files and streams, byte for byte. {@link dev.onlyonce.app.output.Outputs} opens
 * them, all or none, and never a file that is also read; a {@link
 * dev.onlyonce.app.output.RecordWriter} writes one of them.
 */
@NullMarked
package dev.onlyonce.app.output;

import org.jspecify.annotations.NullMarked;
