package dev.onlyonce.app.claims;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Result;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Shows records as JSON objects. What does not apply to a record's state is left out. */
public final class RecordJson {

  private final long now;
  private final boolean withBytes;

  /**
   * @param now milliseconds since the epoch
   * @param withBytes whether to show what results and checkpoints hold
   */
  public RecordJson(long now, boolean withBytes) {
    this.now = now;
    this.withBytes = withBytes;
  }

  /** Writes the key of a record, null if the store does not know it any more. */
  static void writeKey(JsonGenerator json, ClaimRecord record) {
    if (record.key() == null) {
      json.writeNullProperty("key");
    } else {
      json.writeStringProperty("key", record.key().toString());
    }
  }

  /** Writes the members of the object of a key that there is no record of. */
  public static void writeAbsent(JsonGenerator json, Lookup lookup, String text) {
    json.writeStringProperty("key", Lookup.key(text).toString());
    json.writeStringProperty("state", "absent");
    json.writeStringProperty("reason", lookup.absence(text));
  }

  /** Writes the members of a record's object. */
  public void write(JsonGenerator json, ClaimRecord record) {
    json.writeStringProperty("scope", record.scope().name());
    writeKey(json, record);
    json.writeStringProperty("state", record.state().name().toLowerCase(Locale.ROOT));
    json.writeBooleanProperty("inDoubt", Standing.of(record, now) == Standing.IN_DOUBT);
    json.writeStringProperty("meaning", Standing.meaning(record, now));
    json.writeNumberProperty("token", record.token());
    json.writeNumberProperty("attempt", record.attempt());
    if (record.owner().isEmpty()) {
      json.writeNullProperty("owner");
    } else {
      json.writeStringProperty("owner", record.owner());
    }
    if (record.createdAtMillis() == ClaimRecord.UNKNOWN_TIME) {
      json.writeNullProperty("createdAt");
    } else {
      moment(json, "createdAt", record.createdAtMillis());
    }
    moment(json, "updatedAt", record.updatedAtMillis());
    if (Standing.isClaim(record)) {
      moment(json, "leaseUntil", record.leaseUntilMillis());
      json.writeStringProperty("onLapse", record.lapse().name().toLowerCase(Locale.ROOT));
    }
    if (record.state() == ClaimState.RELEASED) {
      moment(json, "notBefore", Math.max(record.notBeforeMillis(), record.updatedAtMillis()));
    }
    if (record.state().isSettled()) {
      moment(json, "expiresAt", record.expiresAtMillis());
    }
    if (record.fingerprint() != null) {
      json.writeStringProperty("fingerprint", record.fingerprint().toString());
    }
    writeEnding(json, record);
    if (record.checkpoint() != null) {
      json.writeObjectPropertyStart("checkpoint");
      bytes(json, record.checkpoint());
      json.writeEndObject();
    }
  }

  private void writeEnding(JsonGenerator json, ClaimRecord record) {
    if (record.state() == ClaimState.FAILED && record.result() instanceof Result.Value reason) {
      json.writeStringProperty("reason", new String(reason.bytes(), UTF_8));
    } else if (record.state() == ClaimState.DONE && record.result() instanceof Result.None) {
      json.writeNullProperty("result");
    } else if (record.state() == ClaimState.DONE) {
      json.writeObjectPropertyStart("result");
      json.writeBooleanProperty("kept", record.result() instanceof Result.Value);
      if (record.result() instanceof Result.Value value) {
        json.writeStringProperty("type", value.type());
        bytes(json, value.bytes());
      }
      json.writeEndObject();
    }
  }

  private void bytes(JsonGenerator json, byte[] bytes) {
    json.writeNumberProperty("bytes", bytes.length);
    if (withBytes) {
      String text = text(bytes);
      if (text == null) {
        json.writeStringProperty("base64", Base64.getEncoder().encodeToString(bytes));
      } else {
        json.writeStringProperty("text", text);
      }
    }
  }

  private static void moment(JsonGenerator json, String name, long millis) {
    if (Moments.isForEver(millis)) {
      json.writeNullProperty(name);
    } else {
      json.writeStringProperty(name, Moments.iso(millis));
    }
  }

  /** Returns the text that these bytes are in UTF-8, null if they are none. */
  static @Nullable String text(byte[] bytes) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }
}
