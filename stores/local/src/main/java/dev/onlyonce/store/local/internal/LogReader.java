package dev.onlyonce.store.local.internal;

import dev.onlyonce.store.local.internal.Cursor.Malformed;
import java.io.IOException;

/** Is shown what a log says, one entry after the other; what it does not say, it does not want. */
interface LogReader {

  /** A record has this version; it is read only until this returns. */
  void record(LoggedRecord record, long position) throws IOException, Malformed;

  /** The store's user has left a note beside the claims of the same frame. */
  default void note(String name, byte[] value) {}

  /** Records were forgotten whose tokens were up to this one. */
  default void floor(long token) {}

  /** The log goes on in the next segment. */
  default void end() {}
}
