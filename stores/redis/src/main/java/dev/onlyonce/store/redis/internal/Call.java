package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One script, called on one key. For one thread. */
final class Call {

  private static final byte[] EVALSHA = "EVALSHA".getBytes(US_ASCII);
  private static final byte[] EVAL = "EVAL".getBytes(US_ASCII);
  private static final byte[] ONE = {'1'};

  final int slot;
  final boolean writes;
  private final Script script;
  private final byte[] key;
  private final List<byte[]> arguments;

  /** Whether the server is told the script itself, since it does not know its digest. */
  boolean byBody;

  /** The node that is asked this time, while the slot is on its way to it. */
  @Nullable Node asked;

  private @Nullable Object reply;
  private boolean isInDoubt;

  /**
   * @param writes whether replicas are waited for, where the store does so
   */
  Call(Script script, byte[] key, int slot, boolean writes, List<byte[]> arguments) {
    this.script = script;
    this.key = key;
    this.slot = slot;
    this.writes = writes;
    this.arguments = arguments;
  }

  byte[][] command() {
    byte[][] command = new byte[4 + arguments.size()][];
    command[0] = byBody ? EVAL : EVALSHA;
    command[1] = byBody ? script.body() : script.digest();
    command[2] = ONE;
    command[3] = key;
    for (int i = 0; i < arguments.size(); i++) {
      command[4 + i] = arguments.get(i);
    }
    return command;
  }

  void answer(Object given) {
    reply = given;
    isInDoubt = false;
  }

  /** What was answered may be lost, since replicas have not got it. */
  void doubt() {
    isInDoubt = true;
  }

  boolean isAnswered() {
    return reply != null;
  }

  /** Whether it is answered, and replicas have got it where they are waited for. */
  boolean isSure() {
    return isAnswered() && !isInDoubt;
  }

  byte[] bytes() {
    return (byte[]) given();
  }

  List<?> list() {
    return (List<?>) given();
  }

  long number() {
    return (Long) given();
  }

  private Object given() {
    return Objects.requireNonNull(reply, "no reply");
  }
}
