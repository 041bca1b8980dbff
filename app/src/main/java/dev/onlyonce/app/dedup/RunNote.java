package dev.onlyonce.app.dedup;

import dev.onlyonce.app.Failure;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a state says of the last run: docs/formats/dedup-state.md.
 *
 * @param isOpen whether it has not come to its end
 * @param delivered how many records of its input were delivered, wherever they belong
 * @param firstRecord a digest of the first record
 * @param files the paths of the files that it writes on
 */
record RunNote(boolean isOpen, long delivered, byte[] firstRecord, Set<String> files) {

  static final RunNote NONE = new RunNote(false, 0, new byte[0], Set.of());
  private static final int VERSION = 1;

  byte[] toBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      out.writeBoolean(isOpen);
      out.writeLong(delivered);
      out.writeByte(firstRecord.length);
      out.write(firstRecord);
      out.writeInt(files.size());
      for (String file : files) {
        out.writeUTF(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static RunNote of(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      if (in.readByte() != VERSION) {
        throw Failure.files("the state was written by a newer version of onlyonce; use that");
      }
      boolean isOpen = in.readBoolean();
      long delivered = in.readLong();
      byte[] firstRecord = in.readNBytes(in.readUnsignedByte());
      Set<String> files = new TreeSet<>();
      for (int i = in.readInt(); i > 0; i--) {
        files.add(in.readUTF());
      }
      return new RunNote(isOpen, delivered, firstRecord, files);
    } catch (IOException e) {
      throw Failure.io("the state has a note that cannot be read", e);
    }
  }
}
