package dev.onlyonce.app.demo;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * The bank, as a process: it charges what it is told and answers look-ups.
 *
 * <pre>
 *   question   verb (1) payment (4)    verb: 1 charge, 2 look up, 3 totals
 *   answer     receipt (8)             of a look-up: zero if the payment was never charged
 *              five numbers (8 each)   of totals
 * </pre>
 *
 * <p><b>Drained.</b> It serves one connection at a time, in the order in which they were opened,
 * and each to its end: until it has read the last byte that the client had sent before it closed
 * the connection or died (the kernel closes the connections of a process that is killed; what was
 * sent before is still delivered). Only then is the next one served. So whoever gets an answer on a
 * connection knows that no charge from an earlier connection can be booked any more. A client that
 * is gone does not read its answers, but what it had asked for is done.
 */
final class Bank {

  static final int CHARGE = 1;
  static final int LOOK_UP = 2;
  static final int TOTALS = 3;

  private final Ledger ledger = new Ledger();

  private Bank() {}

  /** Serves until standard input ends; says on standard output at which port. */
  public static void main(String[] args) throws IOException {
    Child.endWithParent();
    try (ServerSocket server = Loopback.listen()) {
      Child.sayReady(server.getLocalPort());
      Bank bank = new Bank();
      while (true) {
        try (Socket client = server.accept()) {
          bank.serve(client);
        }
      }
    }
  }

  private void serve(Socket client) throws IOException {
    client.setTcpNoDelay(true);
    InputStream received = new BufferedInputStream(client.getInputStream());
    DataInputStream in = new DataInputStream(received);
    Answers answers = new Answers(client.getOutputStream());
    try {
      for (int verb = in.read(); verb >= 0; verb = in.read()) {
        answer(verb, in.readInt(), answers);
        if (received.available() == 0) {
          answers.flush();
        }
      }
    } catch (IOException e) {
      // It died: in the middle of a question, or with answers unread, which is a reset, not an end.
      answers.isGone = true;
    }
  }

  private void answer(int verb, int payment, Answers answers) {
    switch (verb) {
      case CHARGE -> answers.write(ledger.charge(payment));
      case LOOK_UP -> answers.write(ledger.lookUp(payment));
      case TOTALS -> answers.write(ledger.totals().numbers());
      default -> throw new IllegalStateException("the bank has no verb " + verb);
    }
  }

  /** The way back to a client, which may be gone: then nothing is written any more. */
  private static final class Answers {
    private final DataOutputStream out;
    private boolean isGone;

    Answers(OutputStream out) {
      this.out = new DataOutputStream(new BufferedOutputStream(out));
    }

    void write(long... numbers) {
      try {
        for (int i = 0; i < numbers.length && !isGone; i++) {
          out.writeLong(numbers[i]);
        }
      } catch (IOException e) {
        isGone = true;
      }
    }

    void flush() {
      try {
        if (!isGone) {
          out.flush();
        }
      } catch (IOException e) {
        isGone = true;
      }
    }
  }
}
