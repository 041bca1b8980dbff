package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The scripts: one for each verb. */
final class Script {

  /** What the scripts that look into the compact tier begin with. */
  private static final String COMPACT = "compact.lua";

  static final Script OPEN = read("open.lua");
  static final Script SHARD = read("shard.lua");
  static final Script MADE = read("made.lua");
  static final Script SCOPES = read("scopes.lua");
  static final Script CLAIM = read(COMPACT, "claim.lua");
  static final Script SETTLE = read(COMPACT, "settle.lua");
  static final Script RENEW = read("renew.lua");
  static final Script PURGE = read(COMPACT, "purge.lua");
  static final Script FIND = read(COMPACT, "find.lua");
  static final Script LIST = read("list.lua");
  static final Script COUNT = read(COMPACT, "count.lua");
  static final Script PUT = read(COMPACT, "put.lua");

  private final byte[] body;
  private final byte[] digest;

  private Script(byte[] body) {
    this.body = body;
    this.digest = sha1(body);
  }

  byte[] body() {
    return body;
  }

  /** The name by which a server knows it once it has seen it. */
  byte[] digest() {
    return digest;
  }

  private static Script read(String... files) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (String file : files) {
      all.writeBytes(bytes(file));
    }
    return new Script(all.toByteArray());
  }

  private static byte[] bytes(String file) {
    try (InputStream in = Script.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException("the script " + file + " is missing from the jar");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("the script " + file + " cannot be read", e);
    }
  }

  private static byte[] sha1(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-1").digest(bytes);
      return HexFormat.of().formatHex(digest).getBytes(US_ASCII);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1, this one has not", e);
    }
  }
}
