/**
 * Reads files and streams as batches of records: {@link dev.onlyonce.app.input.RecordReader} fills
 * a {@link dev.onlyonce.app.input.RecordBatch}. A record is a range of bytes as they came, its line
 * end included; nothing is decoded and nothing is copied per record.
 */
@NullMarked
package dev.onlyonce.app.input;

import org.jspecify.annotations.NullMarked;
