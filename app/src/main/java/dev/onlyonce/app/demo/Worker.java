package dev.onlyonce.app.demo;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

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
  private final Executor threads = Executors.newFixedThreadPool(Platform.WINDOW);

  private Worker(PaymentHandler handler) {
    this.handler = handler;
  }

  /** Takes how to handle callbacks, the folder for what is to be remembered, the bank's port. */
  public static void main(String[] args) throws IOException {
    Child.endWithParent();
    Handling handling = Handling.valueOf(args[0]);
    Path folder = Path.of(args[1]);
    BankConnection bank = BankConnection.open(Integer.parseInt(args[2]));
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
      OutputStream out = platform.getOutputStream();
      while (true) {
        int delivery = in.readInt();
        Payment payment = new Payment(in.readInt());
        threads.execute(() -> handle(delivery, payment, out));
      }
    } catch (IOException e) {
      giveUp(e);
    }
  }

  private void handle(int delivery, Payment payment, OutputStream out) {
    try {
      Duration again = handler.handle(payment);
      byte[] answer = ByteBuffer.allocate(8).putInt(delivery).putInt(millis(again)).array();
      synchronized (out) {
        out.write(answer);
      }
    } catch (IOException | RuntimeException e) {
      giveUp(e);
    }
  }

  private static int millis(Duration again) {
    return again.isZero() ? 0 : (int) Math.max(1, again.toMillis());
  }

  /** The bank, the platform or the store has failed: the platform tells the user. */
  private static void giveUp(Exception e) {
    e.printStackTrace();
    Runtime.getRuntime().halt(1);
  }
}
