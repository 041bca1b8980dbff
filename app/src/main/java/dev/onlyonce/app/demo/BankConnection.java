package dev.onlyonce.app.demo;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection to the {@link Bank}. Questions are numbered and sent without waiting for
 * the answers to those before. Any number of threads.
 */
final class BankConnection implements Closeable {

  private final Socket socket;
  private final SharedOutput out;
  private final DataInputStream in;
  private final AtomicInteger numbers = new AtomicInteger();
  private final Map<Integer, CompletableFuture<Long>> unanswered = new ConcurrentHashMap<>();
  private volatile @Nullable IOException failure;

  private BankConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.out = new SharedOutput(socket.getOutputStream());
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

  /** Has a payment charged; the answer is the receipt. */
  CompletableFuture<Long> charge(Payment payment) {
    return ask(Bank.Verb.CHARGE, payment.number());
  }

  /** Asks for the receipt of a payment; it is {@link Ledger#NOT_CHARGED} if there is none. */
  CompletableFuture<Long> lookUp(Payment payment) {
    return ask(Bank.Verb.LOOK_UP, payment.number());
  }

  /** Asks for a number about all that is in the books, and waits for it. */
  long total(Bank.Verb verb) throws IOException {
    try {
      return ask(verb, 0).join();
    } catch (CompletionException e) {
      throw new IOException("the bank cannot be reached", e.getCause());
    }
  }

  private CompletableFuture<Long> ask(Bank.Verb verb, int payment) {
    int number = numbers.getAndIncrement();
    CompletableFuture<Long> answer = new CompletableFuture<>();
    unanswered.put(number, answer);
    try {
      out.write(Bank.question(number, verb, payment));
    } catch (IOException e) {
      fail(e);
    }
    IOException before = failure;
    if (before != null) {
      answer.completeExceptionally(before);
    }
    return answer;
  }

  private void readAnswers() {
    try {
      while (true) {
        int number = in.readInt();
        long answer = in.readLong();
        Objects.requireNonNull(unanswered.remove(number)).complete(answer);
      }
    } catch (IOException e) {
      fail(e);
    }
  }

  private void fail(IOException e) {
    failure = e;
    unanswered.values().forEach(answer -> answer.completeExceptionally(e));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
