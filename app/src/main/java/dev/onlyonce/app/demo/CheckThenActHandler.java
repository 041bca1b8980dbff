package dev.onlyonce.app.demo;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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

  private final Set<Integer> done;
  private final FileChannel file;
  private final BankConnection bank;

  private CheckThenActHandler(Set<Integer> done, FileChannel file, BankConnection bank) {
    this.done = done;
    this.file = file;
    this.bank = bank;
  }

  static CheckThenActHandler open(Path path, BankConnection bank) throws IOException {
    FileChannel file = FileChannel.open(path, CREATE, APPEND);
    Set<Integer> done = ConcurrentHashMap.newKeySet();
    Files.readAllLines(path, US_ASCII).forEach(line -> done.add(Integer.valueOf(line)));
    return new CheckThenActHandler(done, file, bank);
  }

  @Override
  public CompletableFuture<Duration> handle(Payment payment) {
    if (done.contains(payment.number())) {
      return CompletableFuture.completedFuture(Duration.ZERO);
    }
    return bank.charge(payment)
        .thenApply(
            receipt -> {
              remember(payment);
              return Duration.ZERO;
            });
  }

  /**
   * What is in the file outlives this process; that it is not synced matters to power loss only.
   */
  private synchronized void remember(Payment payment) {
    ByteBuffer line = ByteBuffer.wrap((payment.number() + "\n").getBytes(US_ASCII));
    try {
      while (line.hasRemaining()) {
        file.write(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    done.add(payment.number());
  }
}
