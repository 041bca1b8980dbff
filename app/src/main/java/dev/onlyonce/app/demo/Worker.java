package dev.onlyonce.app.demo;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The worker, as a process: takes callbacks on several connections and handles as many at once as
 * the platform sends without an answer.
 *
 * <pre>
 *   callback   delivery (4) payment (4)
 *   answer     delivery (4) when (4)      zero: acknowledged; else deliver it again after so many
 *                                         milliseconds
 * </pre>
 */
final class Worker {

  private final PaymentHandler handler;

  private Worker(PaymentHandler handler) {
    this.handler = handler;
  }

  /**
   * Takes the folder of the run, how to handle callbacks, the folder for what is to be remembered,
   * and the bank's port.
   */
  public static void main(String[] args) throws IOException {
    Child.endWithParent(Path.of(args[0]));
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> giveUp(failure));
    Handling handling = Handling.valueOf(args[1]);
    Path folder = Path.of(args[2]);
    BankConnection bank = BankConnection.open(Integer.parseInt(args[3]));
    Worker worker = new Worker(handling.open(folder, bank));
    try (ServerSocket server = Loopback.listen()) {
      Child.sayReady(server.getLocalPort());
      while (true) {
        Socket platform = server.accept();
        platform.setTcpNoDelay(true);
        new Thread(() -> worker.take(platform), "callbacks").start();
      }
    }
  }

  private void take(Socket platform) {
    try {
      DataInputStream in = new DataInputStream(new BufferedInputStream(platform.getInputStream()));
      SharedOutput out = new SharedOutput(platform.getOutputStream());
      while (true) {
        int delivery = in.readInt();
        CompletableFuture<@Nullable Void> unused =
            handler
                .handle(new Payment(in.readInt()))
                .thenAccept(again -> answer(delivery, again, out))
                .whenComplete(Worker::giveUpAfter);
      }
    } catch (IOException e) {
      giveUp(e);
    }
  }

  private static void answer(int delivery, Duration again, SharedOutput out) {
    try {
      out.write(ByteBuffer.allocate(8).putInt(delivery).putInt(millis(again)).array());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int millis(Duration again) {
    return again.isZero() ? 0 : (int) Math.max(1, again.toMillis());
  }

  private static void giveUpAfter(@Nullable Void nothing, @Nullable Throwable failure) {
    if (failure != null) {
      giveUp(failure);
    }
  }

  /** The bank, the platform or the store has failed: the platform tells the user. */
  private static void giveUp(Throwable e) {
    e.printStackTrace();
    Runtime.getRuntime().halt(1);
  }
}
