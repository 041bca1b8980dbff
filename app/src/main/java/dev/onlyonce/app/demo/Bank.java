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
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The bank, as a process: it charges what it is told and answers look-ups.
 *
 * <pre>
 *   question   number (4) verb (1) payment (4)
 *   answer     number (4) answer (8)
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

  /** What the bank can be asked. */
  enum Verb {
    /** Charge a payment; answered with the receipt. */
    CHARGE(1),
    /** The receipt of a payment, zero if it was not charged. */
    LOOK_UP(2),
    /** How many charges there were. */
    CHARGES(3),
    /** How many payments they were about. */
    CHARGED(4),
    /** How many payments were charged more than once. */
    DOUBLED(5),
    /** How many look-ups there were. */
    LOOK_UPS(6),
    /** How many payments they were about. */
    LOOKED_UP(7);

    private final int code;

    Verb(int code) {
      this.code = code;
    }

    static Verb of(int code) {
      return Stream.of(values()).filter(verb -> verb.code == code).findAny().orElseThrow();
    }
  }

  private final Ledger ledger = new Ledger();

  private Bank() {}

  /** Serves until standard input ends; says on standard output at which port. Takes the folder. */
  public static void main(String[] args) throws IOException {
    Child.endWithParent(Path.of(args[0]));
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
      while (true) {
        int number = in.readInt();
        Verb verb = Verb.of(in.readByte());
        answers.write(number, answer(verb, in.readInt()));
        if (received.available() == 0) {
          answers.flush();
        }
      }
    } catch (IOException e) {
      // It is gone. Where it had not read all its answers, that is a reset instead of an end.
    }
  }

  private long answer(Verb verb, int payment) {
    return switch (verb) {
      case CHARGE -> ledger.charge(payment);
      case LOOK_UP -> ledger.lookUp(payment);
      case CHARGES -> ledger.charges();
      case CHARGED -> ledger.charged();
      case DOUBLED -> ledger.doubled();
      case LOOK_UPS -> ledger.lookUps();
      case LOOKED_UP -> ledger.lookedUp();
    };
  }

  /** Returns the bytes of a question. */
  static byte[] question(int number, Verb verb, int payment) {
    return ByteBuffer.allocate(9).putInt(number).put((byte) verb.code).putInt(payment).array();
  }

  /** The way back to a client, which may be gone: then nothing is written any more. */
  private static final class Answers {
    private final DataOutputStream out;
    private boolean isGone;

    Answers(OutputStream out) {
      this.out = new DataOutputStream(new BufferedOutputStream(out));
    }

    void write(int number, long answer) {
      try {
        if (!isGone) {
          out.writeInt(number);
          out.writeLong(answer);
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
