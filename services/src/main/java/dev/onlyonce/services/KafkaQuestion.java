package dev.onlyonce.services;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * Asks a Kafka broker for its metadata without topics, by the protocol's request Metadata in
 * version 4. An answer that does not come within two seconds is an {@link IOException}.
 *
 * <p>Source: the guide to Kafka's protocol, "Metadata API (Key: 3)".
 */
final class KafkaQuestion {
  private static final int LIMIT_MILLIS = 2_000;
  private static final int METADATA = 3;
  private static final int VERSION = 4;

  private KafkaQuestion() {}

  /** The id of its cluster, once a broker of that takes requests. */
  static String clusterId(InetSocketAddress address) throws IOException {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(LIMIT_MILLIS);
      socket.connect(address, LIMIT_MILLIS);
      request().writeTo(socket.getOutputStream());
      return clusterId(new DataInputStream(socket.getInputStream()));
    }
  }

  private static ByteArrayOutputStream request() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(body);
    out.writeShort(METADATA);
    out.writeShort(VERSION);
    out.writeInt(0); // the correlation
    out.writeShort(-1); // no name of a client
    out.writeInt(0); // no topics
    out.writeBoolean(false); // and none made
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    new DataOutputStream(request).writeInt(body.size());
    body.writeTo(request);
    return request;
  }

  private static String clusterId(DataInputStream answer) throws IOException {
    int length = answer.readInt();
    answer.skipNBytes(Integer.BYTES); // the correlation
    answer.skipNBytes(Integer.BYTES); // how long it was throttled
    int brokers = answer.readInt();
    if (brokers == 0) {
      throw new IOException("Kafka answers in " + length + " bytes that it has no broker yet");
    }
    for (int i = 0; i < brokers; i++) {
      answer.skipNBytes(Integer.BYTES); // its id
      text(answer); // its host
      answer.skipNBytes(Integer.BYTES); // its port
      text(answer); // its rack
    }
    return text(answer);
  }

  /** A text, or nothing where there is none. */
  private static String text(DataInputStream answer) throws IOException {
    int length = answer.readShort();
    return length < 0 ? "" : new String(answer.readNBytes(length), UTF_8);
  }
}
