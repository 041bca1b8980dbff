package dev.onlyonce.app.output;

import dev.onlyonce.app.Failure;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HexFormat;

/**
 * How far a file was written, and by what it is known again.
 *
 * @param path where it is
 * @param identity what the file system tells it from others by
 * @param length in bytes
 * @param tail checksum of its last bytes, see {@link ContinuedFile}, in hexadecimal digits
 */
public record FileMark(String path, String identity, long length, String tail) {

  private static final int VERSION = 1;

  /** Returns the mark as bytes. */
  public byte[] toBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      out.writeUTF(path);
      out.writeUTF(identity);
      out.writeLong(length);
      out.write(HexFormat.of().parseHex(tail));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /**
   * Reads a mark.
   *
   * @throws Failure if a newer version wrote it
   */
  public static FileMark of(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int version = in.readByte();
      if (version != VERSION) {
        throw Failure.files("the state was written by a newer version of onlyonce; use that");
      }
      return new FileMark(
          in.readUTF(), in.readUTF(), in.readLong(), HexFormat.of().formatHex(in.readAllBytes()));
    } catch (IOException e) {
      throw Failure.io("the state has a note that cannot be read", e);
    }
  }
}
