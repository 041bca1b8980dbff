package dev.onlyonce.store.local.internal;

import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.KeyHash;
import dev.onlyonce.spi.KeyHash.Hash;
import dev.onlyonce.store.local.internal.Cursor.Malformed;
import java.util.ArrayList;
import java.util.List;

/** Collects the versions of one key from what a log says. */
final class History implements LogReader {

  private final Scope scope;
  private final KeyHash ofScope;
  private final Hash hash;
  private final List<ClaimRecord> versions = new ArrayList<>();

  History(Scope scope, KeyHash ofScope, Hash hash) {
    this.scope = scope;
    this.ofScope = ofScope;
    this.hash = hash;
  }

  @Override
  public void record(LoggedRecord record, long position) throws Malformed {
    if (record.scope().equals(scope) && record.hash(ofScope).equals(hash)) {
      versions.add(record.record());
    }
  }

  /** Returns the versions found so far, in the order of the log. */
  List<ClaimRecord> versions() {
    return List.copyOf(versions);
  }
}
