package dev.onlyonce.app.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SharedOutputTest {

  private static final int THREADS = 8;
  private static final int FRAMES = 2_000;

  @Test
  void frames_of_many_threads_are_whole_all_there_and_in_order_of_each_thread() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    SharedOutput out = new SharedOutput(bytes);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    for (int i = 0; i < THREADS; i++) {
      int thread = i;
      threads.execute(() -> writeFrames(out, thread));
    }
    threads.shutdown();
    assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();

    List<List<Integer>> seen = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      seen.add(new ArrayList<>());
    }
    ByteBuffer written = ByteBuffer.wrap(bytes.toByteArray());
    while (written.hasRemaining()) {
      seen.get(written.getInt()).add(written.getInt());
    }
    assertThat(seen).allSatisfy(it -> assertThat(it).hasSize(FRAMES).isSorted());
  }

  private static void writeFrames(SharedOutput out, int thread) {
    try {
      for (int i = 0; i < FRAMES; i++) {
        out.write(ByteBuffer.allocate(8).putInt(thread).putInt(i).array());
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
