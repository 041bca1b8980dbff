package dev.onlyonce.app.audit;

import dev.onlyonce.Key;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.dedup.RecordKeys;
import dev.onlyonce.app.input.Format;
import dev.onlyonce.app.input.RecordBatch;
import dev.onlyonce.app.input.RecordReader;
import dev.onlyonce.spi.KeyExtractor.Extracted;
import dev.onlyonce.spi.KeyExtractor.Keyed;
import dev.onlyonce.spi.KeyExtractor.Reason;
import dev.onlyonce.spi.KeyExtractor.Unkeyed;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The records of one side: what was sent, or the effects. Used once, by one thread. */
final class Side {

  private final RecordReader reader;
  private final RecordBatch batch = new RecordBatch();
  private final RecordKeys keys;
  private final Format format;
  private boolean more;
  private long records;

  /** Reads the first records, so that the format is known. */
  Side(RecordReader reader, Asked asked) {
    this.reader = reader;
    this.more = reader.read(batch);
    this.format = reader.format().orElse(Format.LINES);
    this.keys = more ? keys(asked) : Side::whole;
  }

  private RecordKeys keys(Asked asked) {
    if (format == Format.LINES && asked.format() == null && asked.hasPointer()) {
      throw Failure.usage(noJson(asked));
    }
    if (asked.keys().isEmpty() || (format == Format.LINES && asked.isForBoth())) {
      return Side::whole;
    }
    try {
      return RecordKeys.of(format, reader.header(), asked.keyOption(), asked.keys());
    } catch (Failure e) {
      throw asked.isForBoth()
          ? Failure.usage(e.sentence() + "; --effects-key says what the key of the effects is")
          : e;
    }
  }

  private String noJson(Asked asked) {
    String what =
        "%s does not begin like JSON, in which %s %s would name a field"
            .formatted(batch.inputName(), asked.keyOption(), asked.keys().get(0));
    return asked.isForBoth()
        ? what
            + "; say with --effects-key which column of it is the key, with --effects-format lines"
            + " that each line is one, or with --effects-format jsonl that it is JSON all the same"
        : "%s; name a column, or say the format with %s".formatted(what, asked.formatOption());
  }

  private static Extracted whole(RecordBatch batch, int entry) {
    int start = batch.start(entry);
    int length = batch.contentEnd(entry) - start;
    return length == 0
        ? new Unkeyed(Reason.EMPTY, "the line is empty")
        : new Keyed(Key.fitting(batch.bytes(), start, length));
  }

  /** Tells whether its fields have types: numbers that are not text. */
  boolean isTyped() {
    return format == Format.JSONL;
  }

  /** Is told of each record that has a key. */
  interface Visitor {
    void visit(Key key, String input, long line);
  }

  /** Reads on to the end, changes each key in this way, and shows it. */
  void read(UnaryOperator<Key> change, LeftOut leftOut, Visitor visitor) {
    while (more) {
      for (int i = 0; i < batch.size(); i++) {
        if (batch.isPlain(i) && batch.isBlank(i, format)) {
          continue;
        }
        records += batch.part(i).begins() ? 1 : 0;
        Optional<Key> key = key(i, leftOut);
        if (key.isPresent()) {
          visitor.visit(change.apply(key.get()), batch.inputName(), batch.line(i));
        }
      }
      more = reader.read(batch);
    }
  }

  private Optional<Key> key(int entry, LeftOut leftOut) {
    if (!batch.isPlain(entry)) {
      leftOut.bad(batch, entry, batch.problem(entry).sentence());
      return Optional.empty();
    }
    Extracted found = keys.find(batch, entry);
    if (found instanceof Keyed keyed) {
      return Optional.of(keyed.key());
    }
    Unkeyed unkeyed = (Unkeyed) found;
    if (unkeyed.reason() == Reason.UNDECODABLE) {
      leftOut.bad(batch, entry, "cannot be read: " + unkeyed.detail());
    } else {
      leftOut.withoutKey(batch, entry, "has no key: " + unkeyed.detail());
    }
    return Optional.empty();
  }

  /** Returns how many records there were. */
  long records() {
    return records;
  }
}
