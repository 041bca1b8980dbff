package dev.onlyonce.testkit.sim;

import dev.onlyonce.Key;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Where the handlers' effects happen. Requests to it may be slow, and its answers get lost. */
final class SimulatedBank {

  /** What the bank says to a request. */
  enum Reply {
    /** It has taken effect, now or before. */
    DONE,
    /** It has not and will not: the token is too small. */
    STALE
  }

  private static final class Account {
    final List<Long> effects = new ArrayList<>();
    final List<Long> onTheWay = new ArrayList<>();
    long largestToken;
  }

  private final World world;
  private final Setup.Bank kind;
  private final Map<Key, Account> accounts = new HashMap<>();

  SimulatedBank(World world, Setup.Bank kind) {
    this.world = world;
    this.kind = kind;
  }

  private Account account(Key key) {
    return accounts.computeIfAbsent(key, absent -> new Account());
  }

  /** Sends a request, which arrives whatever becomes of the worker. */
  void send(Worker worker, Key key, long token, Consumer<Reply> replied) {
    Dice dice = world.dice();
    long there =
        dice.happens(dice.bankSlow)
            ? dice.between(50_000, 3 * World.LEASE_MICROS)
            : dice.between(1_000, 30_000);
    boolean heard = !dice.happens(dice.bankAnswerLost);
    account(key).onTheWay.add(token);
    world
        .schedule()
        .after(
            there,
            () -> {
              Reply reply = arrived(key, token);
              if (heard) {
                worker.after(dice.between(1_000, 30_000), () -> replied.accept(reply));
              }
            });
  }

  private Reply arrived(Key key, long token) {
    Account account = account(key);
    account.onTheWay.remove(token);
    if (kind == Setup.Bank.CHECKS_TOKENS && token != 0 && token <= account.largestToken) {
      world.say("bank refuses %s with token %d", key, token);
      return Reply.STALE;
    }
    if (kind == Setup.Bank.CHECKS_KEYS && !account.effects.isEmpty()) {
      world.say("bank knows %s already", key);
      return Reply.DONE;
    }
    world.say("EFFECT of %s with token %d", key, token);
    world.tally().effects++;
    for (long earlier : account.effects) {
      world.doubleEffect(key, earlier, token);
    }
    world.tally().doubles += account.effects.isEmpty() ? 0 : 1;
    account.effects.add(token);
    account.largestToken = Math.max(account.largestToken, token);
    return Reply.DONE;
  }

  /** Tells the bank to refuse this token and smaller ones from now on. */
  void fence(Key key, long token) {
    if (kind == Setup.Bank.CHECKS_TOKENS) {
      account(key).largestToken = Math.max(account(key).largestToken, token);
    }
  }

  boolean hasHappened(Key key) {
    return !account(key).effects.isEmpty();
  }

  boolean isOnTheWay(Key key, long token) {
    return account(key).onTheWay.stream().anyMatch(sent -> sent <= token);
  }
}
