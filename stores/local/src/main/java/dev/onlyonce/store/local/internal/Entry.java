package dev.onlyonce.store.local.internal;

import dev.onlyonce.spi.ClaimRecord;

/** What a log says, one thing at a time. */
sealed interface Entry {

  /** A record has a new version. */
  record Put(ClaimRecord record) implements Entry {}

  /** The store's user has left a note beside the claims of the same frame. */
  record Note(String name, byte[] value) implements Entry {}

  /** Records were forgotten whose tokens were up to this one. */
  record Floor(long token) implements Entry {}

  /** The log goes on in the next segment. */
  record End() implements Entry {}
}
