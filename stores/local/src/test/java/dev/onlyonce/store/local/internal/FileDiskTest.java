package dev.onlyonce.store.local.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.store.local.LocalStore;
import dev.onlyonce.testkit.Semantics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The crash histories have a disk of their own; that the real one is asked to sync, Java itself
 * tells.
 */
class FileDiskTest {

  private static final int CLAIMS = 5;

  @TempDir Path folder;

  @Test
  @Semantics(76)
  void each_answer_waits_for_a_sync_of_the_log() throws IOException {
    try (LocalStore store = LocalStore.at(folder.resolve("store")).open()) {
      List<String> synced = syncs(() -> claim(store));

      // Java calls a file by the name that it had when it was opened.
      assertThat(synced).hasSize(CLAIMS).allMatch(file -> file.endsWith("log.new"));
    }
  }

  @Test
  void a_new_store_syncs_its_files_and_their_names() throws IOException {
    Path directory = folder.resolve("store");

    List<String> synced = syncs(() -> LocalStore.at(directory).open().close());

    assertThat(synced).contains(directory.toString());
    assertThat(synced).anyMatch(file -> file.endsWith("store.new"));
    assertThat(synced).anyMatch(file -> file.endsWith("log.new"));
  }

  @Test
  void without_syncs_none_is_made_for_an_answer() throws IOException {
    try (LocalStore store = LocalStore.at(folder.resolve("store")).withoutSync().open()) {
      assertThat(syncs(() -> claim(store))).isEmpty();
    }
  }

  private static void claim(LocalStore store) {
    Duration day = Duration.ofDays(1);
    for (int i = 0; i < CLAIMS; i++) {
      ClaimRequest request =
          ClaimRequest.of(Scope.of("billing"), Key.of("order-" + i), i, day, Lapse.TAKE);
      store.claim(List.of(request.settlingNow(Result.NONE, day)));
    }
  }

  /** Returns the files and directories below the folder that were synced meanwhile. */
  private List<String> syncs(Runnable work) throws IOException {
    Path dump = folder.resolve("recording.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.FileForce").withoutThreshold().withoutStackTrace();
      recording.start();
      work.run();
      recording.stop();
      recording.dump(dump);
    }
    return RecordingFile.readAllEvents(dump).stream()
        .filter(event -> event.getEventType().getName().equals("jdk.FileForce"))
        .map(event -> event.getString("path"))
        .filter(path -> path != null && path.startsWith(folder.toString()))
        .toList();
  }
}
