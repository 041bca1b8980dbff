package dev.onlyonce.app.audit;

import dev.onlyonce.app.input.RecordBatch;
import java.util.function.Consumer;

/** Records that could not be compared: all are counted, the first {@value #MOST_TOLD} are told. */
final class LeftOut {

  private static final int MOST_TOLD = 20;

  private final Consumer<String> notices;
  private long withoutKey;
  private long bad;

  LeftOut(Consumer<String> notices) {
    this.notices = notices;
  }

  /** A record has no key. */
  void withoutKey(RecordBatch batch, int entry, String problem) {
    withoutKey++;
    tell(batch, entry, problem);
  }

  /** A record, or a part of one, cannot be read. */
  void bad(RecordBatch batch, int entry, String problem) {
    if (batch.part(entry).begins()) {
      bad++;
      tell(batch, entry, problem);
    }
  }

  private void tell(RecordBatch batch, int entry, String problem) {
    long told = withoutKey + bad;
    if (told <= MOST_TOLD + 1) {
      String more = told > MOST_TOLD ? "; more of these are only counted" : "";
      notices.accept(batch.place(entry) + ": the record " + problem + more);
    }
  }

  long withoutKey() {
    return withoutKey;
  }

  long bad() {
    return bad;
  }
}
