package dev.onlyonce.app.demo;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks first, as is often written: is the payment done already? If not, it is charged and then
 * written down as done, in a file that the next worker reads.
 *
 * <p>Two gaps are left. Copies that are in flight at once all look before the first of them is
 * done. And a worker that is killed between the charge and the line in the file has charged without
 * a trace.
 */
final class CheckThenActHandler implements PaymentHandler {

  private final Set<String> done;
  private final FileChannel file;
  private final BankConnection bank;

  private CheckThenActHandler(Set<String> done, FileChannel file, BankConnection bank) {
    this.done = done;
    this.file = file;
    this.bank = bank;
  }

  static CheckThenActHandler open(Path path, BankConnection bank) throws IOException {
    FileChannel file = FileChannel.open(path, CREATE, APPEND);
    Set<String> done = ConcurrentHashMap.newKeySet();
    done.addAll(Files.readAllLines(path, US_ASCII));
    return new CheckThenActHandler(done, file, bank);
  }

  @Override
  public Duration handle(Payment payment) throws IOException {
    String id = payment.key().toString();
    if (!done.contains(id)) {
      bank.charge(payment);
      remember(id);
    }
    return Duration.ZERO;
  }

  /**
   * The file outlives the process when it is written, without a sync: only power loss would not.
   */
  private synchronized void remember(String id) throws IOException {
    ByteBuffer line = ByteBuffer.wrap((id + "\n").getBytes(US_ASCII));
    while (line.hasRemaining()) {
      file.write(line);
    }
    done.add(id);
  }
}
