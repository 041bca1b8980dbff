package dev.onlyonce.app.dedup;

import dev.onlyonce.app.input.Header;
import dev.onlyonce.app.output.RecordWriter;
import dev.onlyonce.app.output.Rejects;
import org.jspecify.annotations.Nullable;

/**
 * Where records go.
 *
 * @param first takes the first record of each key
 * @param duplicates takes later ones; null to drop them
 * @param withoutKey what to do with records without a key
 * @param bad what to do with records that cannot be read
 * @param late what to do with records whose time has gone out of the window
 */
public record Destinations(
    RecordWriter first,
    @Nullable RecordWriter duplicates,
    Rejects withoutKey,
    Rejects bad,
    Rejects late) {

  void write(Header header) {
    first.write(header);
    if (duplicates != null) {
      duplicates.write(header);
    }
    withoutKey.write(header);
    bad.write(header);
    late.write(header);
  }
}
