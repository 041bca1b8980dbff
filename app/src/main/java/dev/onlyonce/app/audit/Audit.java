package dev.onlyonce.app.audit;

import dev.onlyonce.Key;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.audit.Finding.Kind;
import dev.onlyonce.app.input.RecordReader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Compares what was sent with what has taken effect, by their keys.
 *
 * <p><b>Guarantee.</b> A key that was sent, however often, should have taken effect once, and no
 * other key at all: whatever differs is a {@link Finding}. Keys are compared exactly, by a hash of
 * 128 bits with a secret. Where one side is JSON and the other has columns, JSON's numbers and
 * booleans are compared as the text that they are written as.
 *
 * <p><b>Memory.</b> About 60 bytes a key, and the key itself.
 *
 * <p>Used by one thread, once.
 */
public final class Audit {

  private final LeftOut leftOut;
  private final Ledger ledger;
  private final Places places = new Places();
  private long sentRecords;
  private long effectRecords;

  /**
   * @param memoryBytes how much of the memory the keys may take
   * @param notices is told of records that cannot be compared, a sentence each
   */
  public Audit(long memoryBytes, Consumer<String> notices) {
    this.ledger = new Ledger(memoryBytes);
    this.leftOut = new LeftOut(notices);
  }

  /**
   * Reads both sides; does not close them.
   *
   * @throws Failure if an input cannot be read, what was asked for does not fit it, or the keys do
   *     not fit into the memory
   */
  public void run(RecordReader sent, Asked ofSent, RecordReader effects, Asked ofEffects) {
    Side left = new Side(sent, ofSent);
    Side right = new Side(effects, ofEffects);
    boolean mixed = left.isTyped() != right.isTyped();
    UnaryOperator<Key> change = mixed ? UntypedKeys::of : UnaryOperator.identity();
    left.read(change, leftOut, (key, in, line) -> ledger.sent(key, places.number(in, line)));
    right.read(change, leftOut, (key, in, line) -> ledger.effect(key, places.number(in, line)));
    sentRecords = left.records();
    effectRecords = right.records();
  }

  /** Returns what was seen. */
  public Summary summary() {
    return new Summary(
        sentRecords,
        ledger.sentKeys(),
        effectRecords,
        ledger.effectKeys(),
        ledger.missing(),
        ledger.doubled(),
        ledger.unexpected(),
        leftOut.withoutKey(),
        leftOut.bad());
  }

  /**
   * Shows all findings: those about keys that were sent in the order of these, then the others in
   * the order of the effects. A key that was not sent and has taken effect twice is two findings.
   */
  public void findings(Consumer<Finding> visitor) {
    ledger.forEach(
        (key, sent, times, first, second) -> {
          if (times == 0) {
            visitor.accept(finding(Kind.MISSING, key, sent, times, first, second));
          }
          if (sent == 0) {
            visitor.accept(finding(Kind.UNEXPECTED, key, sent, times, first, second));
          }
          if (times > 1) {
            visitor.accept(finding(Kind.DOUBLED, key, sent, times, first, second));
          }
        });
  }

  private Finding finding(Kind kind, Key key, long sent, long times, long first, long second) {
    List<Place> effects = new ArrayList<>();
    if (times > 0) {
      effects.add(places.place(first));
    }
    if (times > 1) {
      effects.add(places.place(second));
    }
    return new Finding(kind, key, sent == 0 ? null : places.place(sent), times, effects);
  }
}
