package dev.onlyonce.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** RocksDB. */
final class RocksPeer extends DurablePeer {

  static final String SETTINGS =
      "MultiGet and WriteBatch, setSync(true), optimizeForPointLookup(256 MiB),"
          + " setIncreaseParallelism(2), setRecycleLogFileNum(4)";

  private static final int CACHE_MIB = 256;

  private final Options options =
      new Options()
          .setCreateIfMissing(true)
          .setIncreaseParallelism(2)
          .setRecycleLogFileNum(4)
          .optimizeForPointLookup(CACHE_MIB);
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final RocksDB db;

  RocksPeer(Path folder) throws RocksDBException {
    db = RocksDB.open(options, folder.toString());
  }

  @Override
  List<byte[]> claim(byte[][] keys, long token, long leaseEnd) throws RocksDBException {
    List<byte[]> found = db.multiGetAsList(Arrays.asList(keys));
    List<byte[]> fresh = new ArrayList<>();
    try (WriteBatch batch = new WriteBatch()) {
      for (int i = 0; i < keys.length; i++) {
        if (found.get(i) == null) {
          batch.put(keys[i], ClaimBytes.claimed(token, requestId(), leaseEnd));
          fresh.add(keys[i]);
        } else {
          require(ClaimBytes.isDone(found.get(i)));
        }
      }
      if (!fresh.isEmpty()) {
        db.write(synced, batch);
      }
    }
    return fresh;
  }

  @Override
  void complete(List<byte[]> keys, long token, long expiry) throws RocksDBException {
    List<byte[]> found = db.multiGetAsList(keys);
    try (WriteBatch batch = new WriteBatch()) {
      for (int i = 0; i < keys.size(); i++) {
        require(ClaimBytes.isClaimed(found.get(i), token));
        batch.put(keys.get(i), ClaimBytes.done(found.get(i), expiry));
      }
      db.write(synced, batch);
    }
  }

  @Override
  void shut() {
    db.close();
    synced.close();
    options.close();
  }
}
