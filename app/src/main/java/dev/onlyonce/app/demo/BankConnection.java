package dev.onlyonce.app.demo;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;

/**
 * A client's connection to the {@link Bank}. Questions are sent without waiting for the answers to
 * those before, which come in the same order. Any number of threads.
 */
final class BankConnection implements Closeable {

  private final Socket socket;
  private final DataOutputStream out;
  private final DataInputStream in;
  private final Queue<Question> unanswered = new ConcurrentLinkedQueue<>();

  private record Question(CompletableFuture<long[]> answer, int numbers) {}

  private BankConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.out = new DataOutputStream(socket.getOutputStream());
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
  }

  static BankConnection open(int port) throws IOException {
    Socket socket = new Socket();
    socket.connect(Loopback.port(port));
    socket.setTcpNoDelay(true);
    BankConnection connection = new BankConnection(socket);
    Thread reader = new Thread(connection::readAnswers, "bank-answers");
    reader.setDaemon(true);
    reader.start();
    return connection;
  }

  /** Has a payment charged; returns the receipt. */
  long charge(Payment payment) throws IOException {
    return ask(Bank.CHARGE, payment.number(), 1)[0];
  }

  /** Asks for the receipt of a payment that may have been charged. */
  OptionalLong lookUp(Payment payment) throws IOException {
    long receipt = ask(Bank.LOOK_UP, payment.number(), 1)[0];
    return receipt == 0 ? OptionalLong.empty() : OptionalLong.of(receipt);
  }

  /** Asks what is in the books, once all that earlier clients have sent is in them. */
  Ledger.Totals totals() throws IOException {
    long[] all = ask(Bank.TOTALS, 0, 5);
    return new Ledger.Totals(all[0], all[1], all[2], all[3], all[4]);
  }

  private long[] ask(int verb, int payment, int numbers) throws IOException {
    Question question = new Question(new CompletableFuture<>(), numbers);
    byte[] bytes = ByteBuffer.allocate(5).put((byte) verb).putInt(payment).array();
    synchronized (out) {
      unanswered.add(question);
      out.write(bytes);
    }
    try {
      return question.answer.get();
    } catch (ExecutionException e) {
      throw new IOException("the bank has gone away", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while the bank was asked");
    }
  }

  private void readAnswers() {
    try {
      while (true) {
        long first = in.readLong();
        Question question = unanswered.remove();
        long[] numbers = new long[question.numbers];
        numbers[0] = first;
        for (int i = 1; i < numbers.length; i++) {
          numbers[i] = in.readLong();
        }
        question.answer.complete(numbers);
      }
    } catch (IOException e) {
      fail(e);
    }
  }

  private void fail(IOException e) {
    synchronized (out) {
      for (Question question : unanswered) {
        question.answer.completeExceptionally(e);
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
