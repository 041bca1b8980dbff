package dev.onlyonce.app.demo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes the frames of many threads, each as a whole. A thread that comes while another one writes
 * leaves its frame to that one, so that nobody waits and many frames are one write. Any number of
 * threads.
 */
final class SharedOutput {

  private final OutputStream out;
  private final Queue<byte[]> frames = new ConcurrentLinkedQueue<>();
  private final AtomicInteger left = new AtomicInteger();

  SharedOutput(OutputStream out) {
    this.out = out;
  }

  /** Has a frame written: now, or soon by whoever is writing. */
  void write(byte[] frame) throws IOException {
    frames.add(frame);
    if (left.getAndIncrement() > 0) {
      return;
    }
    int count = 1;
    while (count > 0) {
      out.write(take(count));
      count = left.addAndGet(-count);
    }
  }

  private byte[] take(int count) {
    ByteArrayOutputStream together = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      together.writeBytes(frames.remove());
    }
    return together.toByteArray();
  }
}
