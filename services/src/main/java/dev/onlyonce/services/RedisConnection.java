package dev.onlyonce.services;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks a Redis server the few things that are needed here. An answer is a text, or the lines of a
 * list; an error is an {@link IOException}, as is what does not come within two seconds.
 */
final class RedisConnection implements Closeable {
  private static final int LIMIT_MILLIS = 2_000;

  private final Socket socket = new Socket();
  private final InputStream answers;

  /** Connects to {@code redis://[[USER]:PASSWORD@]HOST:PORT[/DATABASE]}. */
  RedisConnection(URI url) throws IOException {
    boolean connected = false;
    try {
      socket.setSoTimeout(LIMIT_MILLIS);
      socket.connect(new InetSocketAddress(url.getHost(), url.getPort()), LIMIT_MILLIS);
      answers = new BufferedInputStream(socket.getInputStream());
      greet(url);
      connected = true;
    } finally {
      if (!connected) {
        socket.close();
      }
    }
  }

  private void greet(URI url) throws IOException {
    if (url.getUserInfo() != null) {
      String[] user = url.getUserInfo().split(":", 2);
      List<String> login = new ArrayList<>(List.of("AUTH"));
      if (!user[0].isEmpty()) {
        login.add(user[0]);
      }
      login.add(user[1]);
      ask(login.toArray(String[]::new));
    }
    if (url.getPath() != null && url.getPath().length() > 1) {
      ask("SELECT", url.getPath().substring(1));
    }
  }

  /** Asks by a connection of its own. */
  static String askOnce(String url, String... words) throws IOException {
    try (RedisConnection connection = new RedisConnection(URI.create(url))) {
      return connection.ask(words);
    }
  }

  String ask(String... words) throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.write(("*" + words.length + "\r\n").getBytes(UTF_8));
    for (String word : words) {
      byte[] bytes = word.getBytes(UTF_8);
      request.write(("$" + bytes.length + "\r\n").getBytes(UTF_8));
      request.write(bytes);
      request.write("\r\n".getBytes(UTF_8));
    }
    request.writeTo(socket.getOutputStream());
    return answer();
  }

  private String answer() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+', ':' -> rest;
      case '$' -> text(Integer.parseInt(rest));
      case '*' -> list(Integer.parseInt(rest));
      default -> throw new IOException("Redis answers " + line);
    };
  }

  private String text(int length) throws IOException {
    if (length < 0) {
      return ""; // there is none
    }
    byte[] bytes = answers.readNBytes(length + 2);
    if (bytes.length < length + 2) {
      throw new EOFException();
    }
    return new String(bytes, 0, length, UTF_8);
  }

  private String list(int length) throws IOException {
    List<String> elements = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      elements.add(answer());
    }
    return String.join("\n", elements);
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = answers.read(); next != '\n'; next = answers.read()) {
      if (next < 0) {
        throw new EOFException();
      }
      line.write(next);
    }
    return line.toString(UTF_8).strip();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
