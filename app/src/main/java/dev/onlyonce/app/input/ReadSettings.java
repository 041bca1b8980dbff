package dev.onlyonce.app.input;

import dev.onlyonce.app.Failure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How inputs are to be read.
 *
 * @param format the format of all inputs; null: detect it by the first bytes of the first input
 *     that is not empty
 * @param header whether inputs that have columns begin with a header line
 * @param maxRecordBytes the most bytes that a record may have, its line end not counted
 * @param keys the keys asked for, as given; they help to detect the format
 */
public record ReadSettings(
    @Nullable Format format, boolean header, int maxRecordBytes, List<String> keys) {
  /** The default for the most bytes a record may have: 64 MiB. */
  public static final int DEFAULT_MAX_RECORD_BYTES = 64 << 20;

  /** The largest value that can be asked for: 1 GiB. */
  public static final int LARGEST_MAX_RECORD_BYTES = 1 << 30;

  /** Checks the values. */
  public ReadSettings {
    if (maxRecordBytes < 1 || maxRecordBytes > LARGEST_MAX_RECORD_BYTES) {
      throw Failure.usage(
          "--max-record must be between 1 byte and 1 GiB, was " + maxRecordBytes + " bytes");
    }
    keys = List.copyOf(keys);
  }

  /** Detect the format, expect a header, 64 MiB a record, no keys. */
  public static ReadSettings defaults() {
    return new ReadSettings(null, true, DEFAULT_MAX_RECORD_BYTES, List.of());
  }
}
