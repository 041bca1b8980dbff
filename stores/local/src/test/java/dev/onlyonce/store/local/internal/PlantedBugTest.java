package dev.onlyonce.store.local.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Mistakes that a store of this kind has made somewhere: the histories must find each of them. */
class PlantedBugTest {

  private static final int HISTORIES = 500;

  /** What a store with the mistake does to its disk. */
  enum Bug {
    NO_SYNC {
      @Override
      Disk plant(Disk disk) {
        return new ForwardingDisk(disk) {
          @Override
          void syncData(String name, Data data) {}
        };
      }
    },
    NO_SYNC_OF_THE_DIRECTORY {
      @Override
      Disk plant(Disk disk) {
        return new ForwardingDisk(disk) {
          @Override
          public void sync() {}
        };
      }
    },
    APPENDS_BEHIND_A_TORN_TAIL {
      @Override
      Disk plant(Disk disk) {
        return new ForwardingDisk(disk) {
          private boolean hasWritten;
          private boolean isBehind;

          @Override
          void write(Data data, ByteBuffer source, long position) throws IOException {
            if (!hasWritten && position > Segment.HEADER && isZero(source)) {
              isBehind = true; // instead of cutting the tail off
              return;
            }
            hasWritten = true;
            data.write(source, isBehind ? position + 512 : position);
          }

          @Override
          public Data create(String name) throws IOException {
            hasWritten = true;
            isBehind = false;
            return super.create(name);
          }
        };
      }
    },
    INDEX_BEFORE_THE_LOG {
      @Override
      Disk plant(Disk disk) {
        return new ForwardingDisk(disk) {
          private final List<Late> late = new ArrayList<>();

          @Override
          void write(Data data, ByteBuffer source, long position) throws IOException {
            byte[] copy = new byte[source.remaining()];
            source.get(copy);
            late.add(new Late(data, copy, position));
            while (late.size() > 1) {
              late.remove(0).write();
            }
          }
        };
      }
    },
    NEXT_SEGMENT_BEFORE_THE_SYNC_OF_THE_LAST {
      @Override
      Disk plant(Disk disk) {
        return new ForwardingDisk(disk) {
          private boolean isRolling;

          @Override
          public Data create(String name) throws IOException {
            isRolling |= name.equals("log.new");
            return super.create(name);
          }

          @Override
          public void rename(String from, String to) throws IOException {
            isRolling &= !from.equals("log.new");
            super.rename(from, to);
          }

          @Override
          void syncData(String name, Data data) throws IOException {
            if (!isRolling || name.equals("log.new")) {
              data.sync();
            }
          }
        };
      }
    },
    SNAPSHOT_BEFORE_ITS_SYNC {
      @Override
      Disk plant(Disk disk) {
        return new ForwardingDisk(disk) {
          @Override
          void syncData(String name, Data data) throws IOException {
            if (!name.startsWith("snap-")) {
              data.sync();
            }
          }
        };
      }
    },
    EXPIRY_ON_A_JUMPED_CLOCK {
      @Override
      Disk plant(Disk disk) {
        return disk;
      }

      @Override
      void plant(LocalEngine.Settings settings) {
        settings.trustsClock = true;
      }
    };

    /** Returns what a store with the mistake takes for its disk. */
    abstract Disk plant(Disk disk);

    /** Makes the settings those of a store with the mistake. */
    void plant(LocalEngine.Settings settings) {}
  }

  private record Late(Disk.Data data, byte[] bytes, long position) {
    void write() throws IOException {
      data.write(ByteBuffer.wrap(bytes), position);
    }
  }

  @ParameterizedTest
  @EnumSource
  void the_histories_find_it(Bug bug) {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < HISTORIES; seed++) {
                new CrashTest.History(seed, bug::plant, bug::plant).run();
              }
            })
        .isInstanceOf(CrashTest.BrokenPromise.class)
        .hasMessageStartingWith("seed ");
  }
}
