package dev.onlyonce.spi;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;

/** What a record is found by: a key within its scope. */
public record RecordId(Scope scope, Key key) {}
