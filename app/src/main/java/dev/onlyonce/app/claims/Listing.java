package dev.onlyonce.app.claims;

import dev.onlyonce.app.Failure;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimRecord;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Goes through the records of a store that are meant. */
public final class Listing {

  /** How many records one call of the store returns at the most. */
  public static final int PAGE = 500;

  private final ClaimReader reader;
  private final Selection selection;
  private final long now;

  /**
   * @param now milliseconds since the epoch
   */
  public Listing(ClaimReader reader, Selection selection, long now) {
    this.reader = reader;
    this.selection = selection;
    this.now = now;
  }

  /**
   * Shows up to so many records.
   *
   * @param cursor where to go on, null to begin
   * @return the cursor behind the last one; null if there are no more
   */
  public @Nullable String show(long limit, @Nullable String cursor, Consumer<ClaimRecord> visitor) {
    String at = cursor;
    long left = limit;
    do {
      Page page = page(at, (int) Math.min(left, PAGE));
      for (ClaimRecord record : page.records()) {
        if (selection.includes(record, now)) {
          visitor.accept(record);
          left--;
        }
      }
      at = page.next();
    } while (at != null && left > 0);
    return at;
  }

  /** Shows all records, some at a time, which may be changed meanwhile. */
  public void inBatches(Consumer<List<ClaimRecord>> visitor) {
    String at = null;
    do {
      Page page = page(at, PAGE);
      List<ClaimRecord> batch =
          page.records().stream().filter(record -> selection.includes(record, now)).toList();
      if (!batch.isEmpty()) {
        visitor.accept(batch);
      }
      at = page.next();
    } while (at != null);
  }

  private Page page(@Nullable String cursor, int limit) {
    try {
      return reader.list(selection.query(limit), cursor);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--" + e.getMessage());
    }
  }
}
