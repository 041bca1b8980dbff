package dev.onlyonce.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;

/** A map of H2's MVStore. */
final class MvStorePeer extends DurablePeer {

  static final String SETTINGS = "autoCommitDisabled(), commit() and sync(), cacheSize(256)";

  private static final int CACHE_MB = 256;

  private final MVStore store;
  private final MVMap<byte[], byte[]> claims;

  MvStorePeer(Path folder) {
    store =
        new MVStore.Builder()
            .fileName(folder.resolve("claims.mv").toString())
            .autoCommitDisabled()
            .cacheSize(CACHE_MB)
            .open();
    claims =
        store.openMap(
            "claims",
            new MVMap.Builder<byte[], byte[]>()
                .keyType(ByteArrayDataType.INSTANCE)
                .valueType(ByteArrayDataType.INSTANCE));
  }

  @Override
  List<byte[]> claim(byte[][] keys, long token, long leaseEnd) {
    List<byte[]> fresh = new ArrayList<>();
    for (byte[] key : keys) {
      byte[] found = claims.putIfAbsent(key, ClaimBytes.claimed(token, requestId(), leaseEnd));
      if (found == null) {
        fresh.add(key);
      } else {
        require(ClaimBytes.isDone(found));
      }
    }
    if (!fresh.isEmpty()) {
      commit();
    }
    return fresh;
  }

  @Override
  void complete(List<byte[]> keys, long token, long expiry) {
    for (byte[] key : keys) {
      byte[] found = Objects.requireNonNull(claims.get(key));
      require(ClaimBytes.isClaimed(found, token));
      claims.put(key, ClaimBytes.done(found, expiry));
    }
    commit();
  }

  private void commit() {
    store.commit();
    store.sync();
  }

  @Override
  void shut() {
    store.close();
  }
}
