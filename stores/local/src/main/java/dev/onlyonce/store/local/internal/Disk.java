package dev.onlyonce.store.local.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The directory of a store, as far as the store needs one. What was not synced may be lost, in part
 * and in any order, when the machine stops: the test disk forgets just that.
 *
 * <p>Safe for use by several threads; a thread that is interrupted does its work all the same.
 */
interface Disk {

  /** Returns the names of the files. */
  List<String> list() throws IOException;

  /** Opens a file, for reading only unless this is the disk of a writer. */
  Data open(String name) throws IOException;

  /** Makes an empty file; there must be none of that name. */
  Data create(String name) throws IOException;

  /** Renames a file, over another if there is one. */
  void rename(String from, String to) throws IOException;

  /** Deletes a file if it is there. */
  void delete(String name) throws IOException;

  /** Returns about how many bytes can be written until the disk is full. */
  long room() throws IOException;

  /** Makes sure that the names of files are as they are now after a crash. */
  void sync() throws IOException;

  /** The bytes of a file. */
  interface Data extends AutoCloseable {

    /** Returns the number of bytes. */
    long size() throws IOException;

    /**
     * Reads into the whole of a buffer as far as there are bytes; returns how many were read, 0 at
     * the end.
     */
    int read(ByteBuffer target, long position) throws IOException;

    /** Writes the whole of a buffer. */
    void write(ByteBuffer source, long position) throws IOException;

    /** Makes sure that what was written is there after a crash. */
    void sync() throws IOException;

    @Override
    void close() throws IOException;
  }
}
