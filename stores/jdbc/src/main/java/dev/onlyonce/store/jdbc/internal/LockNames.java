package dev.onlyonce.store.jdbc.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The numbers of advisory locks: 64 bits of SHA-256 of the table, the scope and the key.
 *
 * @param tables a store's tables, so that two stores in one database have other locks
 */
record LockNames(Tables tables) {

  long of(Item item) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update((tables.claim() + ":" + item.scope() + ":").getBytes(UTF_8));
      return ByteBuffer.wrap(digest.digest(item.k())).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256, this one has not", e);
    }
  }
}
