package dev.onlyonce.app.demo;

import dev.onlyonce.Key;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Keeps attempts of this very process from charging after the resolver has said that they did not.
 *
 * <p>A claim gets in doubt when its holder has died, but also when the holder lives and was stalled
 * for longer than its lease: then its charge may still be about to be sent, by a thread of this
 * process and on the connection that is open. So each attempt passes here before it charges, and
 * the resolver closes the way for the attempt in doubt before it asks the bank.
 *
 * <p>Any number of threads. It remembers each payment of this process, which are few.
 */
final class ChargeGate {

  private final ConcurrentMap<Key, Passage> passages = new ConcurrentHashMap<>();

  /** The latest attempt that came by, and whether it is at the bank at the moment. */
  private record Passage(long token, boolean isCharging) {}

  /** Lets an attempt charge, unless it or a later one has been here or was told not to. */
  boolean enter(Key key, long token) {
    Passage mine = new Passage(token, true);
    Passage latest = passages.merge(key, mine, (old, it) -> old.token() < token ? it : old);
    return latest.equals(mine);
  }

  /** The bank has answered the attempt. */
  void leave(Key key, long token) {
    passages.replace(key, new Passage(token, true), new Passage(token, false));
  }

  /**
   * Has the attempt with this token, and all before it, never charge from now on.
   *
   * @return false if that cannot be said, since one of this process is at the bank just now
   */
  boolean close(Key key, long token) {
    Passage closed = new Passage(token, false);
    Passage latest =
        passages.merge(
            key, closed, (old, it) -> old.isCharging() || old.token() > token ? old : it);
    return !latest.isCharging();
  }
}
