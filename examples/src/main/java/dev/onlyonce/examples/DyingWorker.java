package dev.onlyonce.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Key;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.json.JsonKeys;
import dev.onlyonce.store.local.LocalStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The example of docs/guides/operator.md: a worker that charges orders. Two cards are declined, and
 * at the last order it dies, between the charge and its settlement.
 *
 * <p>Makes a folder with {@code sent.jsonl}, what the worker was sent; {@code charges.csv}, what
 * the bank has done; and its store in {@code payments}.
 */
public final class DyingWorker {

  private static final int FIRST = 4701;
  private static final Set<Integer> DECLINED = Set.of(4706, 4709);
  private static final int LAST = 4711;

  private final Path charges;
  private int receipts;

  private DyingWorker(Path charges) {
    this.charges = charges;
  }

  /** Takes the name of the folder, which must not be there. */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    if (Files.exists(folder)) {
      throw new FileAlreadyExistsException(folder + "; name a folder that is not there yet");
    }
    Files.createDirectories(folder);
    Files.write(folder.resolve("sent.jsonl"), orders().mapToObj(DyingWorker::message).toList());
    Path charges = Files.writeString(folder.resolve("charges.csv"), "order,receipt\n");
    new DyingWorker(charges).work(folder.resolve("payments"));
  }

  private static IntStream orders() {
    return IntStream.rangeClosed(FIRST, LAST);
  }

  private static String key(int order) {
    return "order-" + order + "/paid";
  }

  private static String message(int order) {
    return "{\"order\":\"" + key(order) + "\"}";
  }

  private void work(Path directory) {
    try (LocalStore store = LocalStore.at(directory).owner("worker-1").open();
        OnlyOnce<String> billing =
            OnlyOnce.builder(store)
                .scope("billing")
                .results(ResultCodec.TEXT)
                .onInDoubt(OnInDoubt.PARK)
                .onFailure(OnFailure.defaults().failOn(IllegalStateException.class))
                .lease(Duration.ofSeconds(2))
                .build()) {
      remind(billing, "{\"order\":4713}".getBytes(UTF_8));
      orders()
          .forEach(order -> billing.attempt(Key.of(key(order)), null, attempt -> charge(order)));
    }
  }

  /** In a scope of its own, by a key that is a number of JSON. */
  private static void remind(OnlyOnce<String> billing, byte[] message) {
    OnlyOnce<String> mails = billing.derive().scope("mail").onInDoubt(OnInDoubt.RERUN).build();
    mails.attempt(
        JsonKeys.at("/order").extract(message, 0, message.length), null, attempt -> "sent");
  }

  private String charge(int order) {
    if (DECLINED.contains(order)) {
      throw new IllegalStateException("card declined");
    }
    String receipt = "receipt " + ++receipts;
    try {
      Files.writeString(charges, key(order) + "," + receipt + "\n", StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (order == LAST) {
      System.out.println(key(order) + " is charged, and the worker dies before it can say so");
      System.out.flush();
      Runtime.getRuntime().halt(137);
    }
    return receipt;
  }
}
