package dev.onlyonce.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.testkit.ManualTime;
import dev.onlyonce.testkit.StoreSettings;
import dev.onlyonce.testkit.UnknownStateContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.io.TempDir;

/** A newer version has written a state into the log that this one does not know. */
class UnknownStateTest implements UnknownStateContract {

  // Where things are in the files, see docs/formats/local.md.
  private static final int SEGMENT_HEADER = 64;
  private static final int FRAME_HEADER = 40;
  private static final int ENTRY_HEADER = 8;
  private static final byte RECORD = 2;
  private static final byte STATE_OF_A_NEWER_VERSION = 9;

  @TempDir private Path directory;
  private final ManualTime time = new ManualTime();
  private final Reopened store = new Reopened();
  private LocalStore.Builder builder;

  @Override
  public ClaimStore open(StoreSettings settings) {
    builder = LocalStore.at(directory).time(time).purgeGrace(settings.purgeGrace());
    store.current = builder.open();
    return store;
  }

  @Override
  public void pass(Duration duration) {
    time.advance(duration);
  }

  @Override
  public Duration unit() {
    return Duration.ofSeconds(1);
  }

  @Override
  public void plantUnknownState(Claim claim) {
    store.close();
    try {
      Path log = directory.resolve("log-0000000000000000");
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(log)).order(ByteOrder.LITTLE_ENDIAN);
      int entry = SEGMENT_HEADER + FRAME_HEADER;
      while (bytes.get(entry + ENTRY_HEADER) != RECORD) {
        entry += bytes.getInt(entry);
      }
      bytes.put(entry + ENTRY_HEADER + 1, STATE_OF_A_NEWER_VERSION);
      CRC32C crc = new CRC32C();
      crc.update(bytes.array(), entry + ENTRY_HEADER, bytes.getInt(entry) - ENTRY_HEADER);
      bytes.putInt(entry + 4, (int) crc.getValue());
      Files.write(log, bytes.array());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    LocalStore open = builder.open();
    store.current = open;
    assertThat(open.find(claim.scope(), claim.key())).as("the planted record").isPresent();
  }

  /** The store that is open now. */
  private static final class Reopened implements ClaimStore {
    private LocalStore current;

    @Override
    public List<Answer> claim(List<ClaimRequest> batch) {
      return current.claim(batch);
    }

    @Override
    public List<Held> settle(List<? extends Settlement> batch) {
      return current.settle(batch);
    }

    @Override
    public List<Held> renew(List<Renewal> batch) {
      return current.renew(batch);
    }

    @Override
    public int purge(int limit) {
      return current.purge(limit);
    }

    @Override
    public void close() {
      current.close();
    }
  }
}
