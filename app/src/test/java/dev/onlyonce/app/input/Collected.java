package dev.onlyonce.app.input;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** All that a reader gives, put together: what the tests compare. */
final class Collected {
  final List<Entry> records = new ArrayList<>();
  int parts;
  int largestBuffer;
  Header header;
  Format format;

  /** A record; the bytes of an over-long one are put together from its parts. */
  record Entry(
      String input, long number, long line, String bytes, String content, Problem problem) {}

  static Collected read(ReadSettings settings, List<Input> inputs) {
    return read(settings, new RecordBatch(), inputs);
  }

  static Collected read(ReadSettings settings, RecordBatch batch, List<Input> inputs) {
    Collected collected = new Collected();
    try (RecordReader reader = new RecordReader(inputs, settings)) {
      collected.readAll(reader, batch);
    }
    return collected;
  }

  static Collected read(ReadSettings settings, String... contents) {
    return read(settings, Stream.of(contents).map(Collected::input).toList());
  }

  /** An input that is not a file. Bytes and characters are the same: ISO 8859-1. */
  static Input input(String content) {
    return input(new ByteArrayInputStream(latin1(content)));
  }

  static Input input(InputStream in) {
    return new Input("in", null, () -> in);
  }

  static byte[] latin1(String content) {
    return content.getBytes(StandardCharsets.ISO_8859_1);
  }

  static ReadSettings as(Format format) {
    return new ReadSettings(format, true, ReadSettings.DEFAULT_MAX_RECORD_BYTES, List.of());
  }

  static ReadSettings as(Format format, int maxRecordBytes) {
    return new ReadSettings(format, true, maxRecordBytes, List.of());
  }

  static ReadSettings keyed(String key) {
    return new ReadSettings(null, true, ReadSettings.DEFAULT_MAX_RECORD_BYTES, List.of(key));
  }

  void readAll(RecordReader reader, RecordBatch batch) {
    ByteArrayOutputStream open = new ByteArrayOutputStream();
    long openLine = 0;
    while (reader.read(batch)) {
      largestBuffer = Math.max(largestBuffer, batch.bytes().length);
      for (int i = 0; i < batch.size(); i++) {
        Part part = batch.part(i);
        parts++;
        if (part.begins()) {
          open.reset();
          openLine = batch.line(i);
        }
        open.write(batch.bytes(), batch.start(i), batch.end(i) - batch.start(i));
        if (batch.line(i) != openLine) {
          throw new AssertionError("the parts of a record are on different lines");
        }
        if (part.ends()) {
          String bytes = open.toString(StandardCharsets.ISO_8859_1);
          records.add(
              new Entry(
                  batch.inputName(),
                  batch.number(i),
                  batch.line(i),
                  bytes,
                  part == Part.WHOLE ? content(batch, i) : "",
                  batch.problem(i)));
        }
      }
    }
    header = reader.header().orElse(null);
    format = reader.format().orElse(null);
  }

  List<String> bytes() {
    return records.stream().map(Entry::bytes).toList();
  }

  List<String> contents() {
    return records.stream().map(Entry::content).toList();
  }

  List<Long> lines() {
    return records.stream().map(Entry::line).toList();
  }

  List<Problem> problems() {
    return records.stream().map(Entry::problem).toList();
  }

  private static String content(RecordBatch batch, int i) {
    int start = batch.start(i);
    int length = batch.contentEnd(i) - start;
    return new String(batch.bytes(), start, length, StandardCharsets.ISO_8859_1);
  }
}
