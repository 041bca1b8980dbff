package dev.onlyonce.testkit.process;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.testkit.process.TcpFaultProxy.Direction;
import dev.onlyonce.testkit.process.TcpFaultProxy.Ending;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TcpFaultProxyTest {
  /** No test is about this time; it only keeps one that hangs from hanging for ever. */
  private static final Duration GUARD = Duration.ofSeconds(60);

  private final List<Socket> sockets = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private ServerSocket listener;
  private TcpFaultProxy proxy;

  /** The two ends of a connection through the proxy. */
  private record Pair(Socket client, Socket server) {}

  @BeforeEach
  void open() throws IOException {
    listener = new ServerSocket(0, 1_024, InetAddress.getLoopbackAddress());
    listener.setSoTimeout((int) GUARD.toMillis());
    proxy = TcpFaultProxy.toLocal(listener.getLocalPort());
  }

  @AfterEach
  void close() throws IOException {
    proxy.close();
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
    threads.shutdownNow();
  }

  private Socket client() throws IOException {
    return guarded(new Socket(proxy.address().getAddress(), proxy.port()));
  }

  private Pair pair() throws IOException {
    Socket client = client();
    return new Pair(client, guarded(listener.accept()));
  }

  private Socket guarded(Socket socket) throws IOException {
    sockets.add(socket);
    socket.setSoTimeout((int) GUARD.toMillis());
    return socket;
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
  }

  private static String read(Socket socket, int length) throws IOException {
    return new String(socket.getInputStream().readNBytes(length), US_ASCII);
  }

  private static void assertEnd(Socket socket) throws IOException {
    assertThat(socket.getInputStream().read()).isEqualTo(-1);
  }

  private static void assertReset(Socket socket) {
    assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class);
  }

  private static void assertTalking(Pair pair) throws IOException {
    write(pair.client, "ping");
    assertThat(read(pair.server, 4)).isEqualTo("ping");
    write(pair.server, "pong");
    assertThat(read(pair.client, 4)).isEqualTo("pong");
  }

  private static void awaitReceived(Direction direction, long bytes) {
    Await.until(
        bytes + " bytes at the proxy", GUARD, () -> direction.traffic().receivedBytes() >= bytes);
  }

  /** Sends random bytes and then the end. */
  private Future<?> send(Socket socket, byte[] bytes) {
    return threads.submit(
        () -> {
          socket.getOutputStream().write(bytes);
          socket.shutdownOutput();
          return null;
        });
  }

  private Future<byte[]> receive(Socket socket) {
    return threads.submit(() -> socket.getInputStream().readAllBytes());
  }

  private static byte[] bytes(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  @Test
  void without_faults_every_byte_and_both_ends_pass() throws Exception {
    Pair pair = pair();
    byte[] request = bytes(1, 3_000_000);
    byte[] answer = bytes(2, 2_000_000);
    Future<byte[]> requested = receive(pair.server);
    Future<byte[]> answered = receive(pair.client);
    send(pair.client, request).get();
    assertThat(requested.get()).isEqualTo(request);
    send(pair.server, answer).get();
    assertThat(answered.get()).isEqualTo(answer);
    assertThat(proxy.requests().traffic().forwardedBytes()).isEqualTo(request.length);
    assertThat(proxy.answers().traffic().forwardedBytes()).isEqualTo(answer.length);
    assertThat(proxy.answers().traffic().heldBytes()).isZero();
    Await.until("the connection to close", GUARD, () -> proxy.connections().open() == 0);
    assertThat(proxy.connections().accepted()).isOne();
    assertThat(proxy.connections().cut()).isZero();
  }

  @Test
  void a_reset_passes_behind_the_bytes_before_it() throws Exception {
    Pair first = pair();
    write(first.client, "last words");
    awaitReceived(proxy.requests(), 10);
    first.client.setSoLinger(true, 0);
    first.client.close();
    assertThat(read(first.server, 10)).isEqualTo("last words");
    assertReset(first.server);

    Pair second = pair();
    second.server.setSoLinger(true, 0);
    second.server.close();
    assertReset(second.client);
    Await.until("the connections to close", GUARD, () -> proxy.connections().open() == 0);
    assertThat(proxy.connections().cut()).isZero();
  }

  @Test
  void a_client_whose_target_refuses_is_connected_and_reset() throws Exception {
    listener.close();
    assertReset(client());
  }

  @Test
  void a_delayed_answer_comes_no_sooner_and_in_order() throws Exception {
    Pair pair = pair();
    proxy.answers().delay(Duration.ofMillis(50), Duration.ofMillis(20), 42);
    long start = System.nanoTime();
    StringBuilder sent = new StringBuilder();
    for (int piece = 0; piece < 20; piece++) {
      write(pair.server, "piece " + piece + ";");
      sent.append("piece ").append(piece).append(';');
      awaitReceived(proxy.answers(), sent.length());
    }
    pair.server.shutdownOutput();
    assertThat(read(pair.client, sent.length())).isEqualTo(sent.toString());
    assertEnd(pair.client);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(50));
    proxy.heal();
    write(pair.client, "no delay");
    assertThat(read(pair.server, 8)).isEqualTo("no delay");
  }

  @Test
  void a_limited_rate_is_not_exceeded() throws Exception {
    Pair pair = pair();
    proxy.requests().limitRate(1_000_000);
    long start = System.nanoTime();
    byte[] request = bytes(3, 200_000);
    Future<byte[]> received = receive(pair.server);
    send(pair.client, request).get();
    assertThat(received.get()).isEqualTo(request);
    long elapsed = System.nanoTime() - start;
    assertThat(elapsed).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
  }

  @Test
  void a_stalled_direction_holds_everything_back_and_the_other_one_goes_on() throws Exception {
    Pair pair = pair();
    proxy.requests().stall();
    write(pair.client, "request");
    pair.client.shutdownOutput();
    awaitReceived(proxy.requests(), 7);
    assertThat(proxy.requests().traffic().forwardedBytes()).isZero();
    assertThat(proxy.requests().traffic().heldBytes()).isEqualTo(7);
    write(pair.server, "hello");
    assertThat(read(pair.client, 5)).isEqualTo("hello");
    assertThat(pair.server.getInputStream().available()).isZero();
    proxy.requests().resume();
    assertThat(read(pair.server, 7)).isEqualTo("request");
    assertEnd(pair.server);
  }

  @Test
  void a_connection_that_is_made_while_a_direction_is_stalled_is_accepted_and_held_back()
      throws Exception {
    proxy.requests().stall();
    Pair pair = pair();
    write(pair.client, "ping");
    awaitReceived(proxy.requests(), 4);
    assertThat(proxy.requests().traffic().forwardedBytes()).isZero();
    proxy.heal();
    assertThat(read(pair.server, 4)).isEqualTo("ping");
  }

  @Test
  void a_stalled_direction_holds_a_limited_number_of_bytes() throws Exception {
    Pair pair = pair();
    proxy.requests().stall();
    byte[] request = bytes(4, 20_000_000);
    Future<?> sent = send(pair.client, request);
    awaitReceived(proxy.requests(), ProxyPipe.HELD_LIMIT_BYTES);
    Await.until("another turn", GUARD, () -> proxy.connections().open() == 1);
    assertThat(proxy.requests().traffic().heldBytes())
        .isLessThan(ProxyPipe.HELD_LIMIT_BYTES + ProxyPipe.PIECE_BYTES);
    proxy.requests().resume();
    assertThat(receive(pair.server).get()).isEqualTo(request);
    sent.get();
  }

  @Test
  void a_lost_answer_was_asked_for_and_the_connection_is_not_used_again() throws Exception {
    Pair pair = pair();
    Pair other = pair();
    assertTalking(pair);
    proxy.answers().lose();
    write(pair.client, "pay");
    assertThat(read(pair.server, 3)).isEqualTo("pay");
    write(pair.server, "paid");
    Await.until("the loss", GUARD, () -> proxy.answers().traffic().lostBytes() == 4);
    assertThat(pair.client.getInputStream().available()).isZero();
    proxy.heal();
    assertReset(pair.client);
    assertReset(pair.server);
    assertTalking(other);
    assertTalking(pair());
  }

  @Test
  void the_end_of_a_lost_answer_is_lost_too() throws Exception {
    Pair pair = pair();
    proxy.answers().lose();
    write(pair.server, "paid");
    pair.server.shutdownOutput();
    Await.until("the loss", GUARD, () -> proxy.answers().traffic().lostBytes() == 4);
    write(pair.client, "hello?");
    assertThat(read(pair.server, 6)).isEqualTo("hello?");
    proxy.answers().heal();
    assertReset(pair.client);
  }

  @Test
  void what_is_held_back_is_lost_when_the_direction_begins_to_lose() throws Exception {
    Pair pair = pair();
    proxy.answers().stall();
    write(pair.server, "paid");
    awaitReceived(proxy.answers(), 4);
    proxy.answers().lose();
    assertThat(proxy.answers().traffic().lostBytes()).isEqualTo(4);
  }

  @ParameterizedTest
  @EnumSource
  void a_connection_is_cut_after_exactly_so_many_bytes(Ending ending) throws Exception {
    Pair before = pair();
    assertTalking(before);
    proxy.answers().cutAfter(5, ending);
    write(before.server, "abc");
    assertThat(read(before.client, 3)).isEqualTo("abc");
    write(before.server, "defgh");
    assertThat(read(before.client, 2)).isEqualTo("de");
    assertEnded(before, ending);

    Pair after = pair();
    write(after.server, "abcdefgh");
    assertThat(read(after.client, 5)).isEqualTo("abcde");
    assertEnded(after, ending);
    assertThat(proxy.answers().traffic().forwardedBytes()).isEqualTo(4 + 5 + 5);
    assertThat(proxy.connections().cut()).isEqualTo(2);
    assertThat(proxy.connections().open()).isZero();

    proxy.heal();
    assertTalking(pair());
  }

  private static void assertEnded(Pair pair, Ending ending) throws IOException {
    if (ending == Ending.FIN) {
      assertEnd(pair.client);
      assertEnd(pair.server);
      write(pair.client, "swallowed, and no reset comes back");
      write(pair.client, "nor now");
    } else {
      assertReset(pair.client);
      assertReset(pair.server);
    }
  }

  @Test
  void only_the_first_connection_is_cut_if_one_is_to_be() throws Exception {
    Pair first = pair();
    Pair second = pair();
    proxy.requests().cutOnceAfter(2, Ending.FIN);
    write(second.client, "p");
    assertThat(read(second.server, 1)).isEqualTo("p");
    write(first.client, "ping");
    assertThat(read(first.server, 2)).isEqualTo("pi");
    assertEnd(first.server);
    assertTalking(second);
    assertTalking(pair());
    assertThat(proxy.connections().cut()).isOne();
  }

  @Test
  void a_connection_that_is_cut_after_no_byte_ends_when_the_first_one_comes() throws Exception {
    Pair pair = pair();
    proxy.requests().cutAfter(0, Ending.RST);
    write(pair.server, "hello");
    assertThat(read(pair.client, 5)).isEqualTo("hello");
    write(pair.client, "p");
    assertReset(pair.client);
    assertReset(pair.server);
    assertThat(proxy.requests().traffic().forwardedBytes()).isZero();
    assertThat(proxy.requests().traffic().heldBytes()).isZero();
  }

  @Test
  void a_half_closed_connection_goes_on_in_the_other_direction() throws Exception {
    Pair pair = pair();
    assertTalking(pair);
    proxy.answers().halfClose();
    assertEnd(pair.client);
    write(pair.server, "lost");
    write(pair.client, "still here");
    assertThat(read(pair.server, 10)).isEqualTo("still here");
    Await.until("the loss", GUARD, () -> proxy.answers().traffic().lostBytes() == 4);
    assertTalking(pair());
  }

  @Test
  void a_refusing_proxy_refuses_keeps_open_connections_and_comes_back_on_its_port()
      throws Exception {
    Pair pair = pair();
    int port = proxy.port();
    for (int round = 0; round < 20; round++) {
      proxy.refuse();
      assertThatThrownBy(this::client).isInstanceOf(ConnectException.class);
      assertTalking(pair);
      proxy.accept();
      assertTalking(pair());
    }
    assertThat(proxy.port()).isEqualTo(port);
  }

  @Test
  void all_connections_can_be_cut_at_once() throws Exception {
    List<Pair> reset = List.of(pair(), pair(), pair());
    assertThat(proxy.cutAll(Ending.RST)).isEqualTo(3);
    for (Pair pair : reset) {
      assertReset(pair.client);
      assertReset(pair.server);
    }
    Pair ended = pair();
    assertThat(proxy.cutAll(Ending.FIN)).isOne();
    assertThat(proxy.cutAll(Ending.FIN)).isZero();
    assertEnd(ended.client);
    assertEnd(ended.server);
    assertThat(proxy.connections().cut()).isEqualTo(4);
  }

  @Test
  void hundreds_of_connections_are_served() throws Exception {
    proxy.requests().delay(Duration.ZERO, Duration.ofMillis(5), 7);
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      pairs.add(pair());
    }
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < pairs.size(); i++) {
        write(pairs.get(i).client, "%05d".formatted(i));
      }
      for (int i = 0; i < pairs.size(); i++) {
        assertThat(read(pairs.get(i).server, 5)).isEqualTo("%05d".formatted(i));
        write(pairs.get(i).server, "answer %05d".formatted(i));
      }
      for (int i = 0; i < pairs.size(); i++) {
        assertThat(read(pairs.get(i).client, 12)).isEqualTo("answer %05d".formatted(i));
      }
    }
    assertThat(proxy.connections().open()).isEqualTo(300);
  }

  @Test
  void faults_that_hold_back_may_come_and_go_while_bytes_flow_and_none_is_lost() throws Exception {
    int seed = new Random().nextInt();
    Random random = new Random(seed);
    Pair pair = pair();
    byte[] request = bytes(seed, 4_000_000);
    byte[] answer = bytes(seed + 1, 4_000_000);
    Future<byte[]> requested = receive(pair.server);
    Future<byte[]> answered = receive(pair.client);
    List<Future<?>> senders = List.of(send(pair.client, request), send(pair.server, answer));
    for (int i = 0; i < 200; i++) {
      Direction direction = random.nextBoolean() ? proxy.requests() : proxy.answers();
      switch (random.nextInt(4)) {
        case 0 -> direction.stall();
        case 1 -> direction.resume();
        case 2 -> direction.delay(Duration.ofNanos(random.nextInt(500_000)), Duration.ZERO, i);
        default -> direction.limitRate(1_000_000 + random.nextInt(100_000_000));
      }
    }
    proxy.heal();
    assertThat(requested.get()).as("seed %d", seed).isEqualTo(request);
    assertThat(answered.get()).as("seed %d", seed).isEqualTo(answer);
    for (Future<?> sender : senders) {
      sender.get();
    }
  }

  @Test
  void a_closed_proxy_has_reset_its_connections_and_left_its_port() throws Exception {
    Pair pair = pair();
    int port = proxy.port();
    proxy.close();
    proxy.close();
    assertReset(pair.client);
    assertReset(pair.server);
    assertThatThrownBy(this::client).isInstanceOf(ConnectException.class);
    assertThatThrownBy(() -> proxy.refuse())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the proxy is closed");
    try (ServerSocket successor = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertThat(successor.getLocalPort()).isEqualTo(port);
    }
  }

  @Test
  void senseless_faults_are_refused_with_the_value() {
    assertThatThrownBy(() -> proxy.requests().limitRate(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a rate must be positive, was 0");
    assertThatThrownBy(() -> proxy.requests().cutAfter(-1, Ending.RST))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("bytes must not be negative, was -1");
    assertThatThrownBy(() -> proxy.answers().delay(Duration.ofMillis(-1), Duration.ZERO, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT-0.001S");
  }
}
