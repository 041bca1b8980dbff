package dev.onlyonce.store.tiered.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.store.tiered.Authority;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Knows that a database and a fast store belong together, and which of them is the authority: both
 * hold the same record, in a scope that nobody else may use.
 *
 * <p>Where the fast store is the authority, both hold a beat, too: a claim that is made in the fast
 * store every second, and whose token is then written to the database. A fast store whose beat has
 * a smaller token than the database's has gone back in time: it was restored, or a replica took
 * over that was behind.
 */
final class Pairing {

  static final Scope SCOPE = Scope.of("onlyonce/tiers");
  static final RecordId PAIR = new RecordId(SCOPE, Key.of("pair"));
  static final RecordId BEAT = new RecordId(SCOPE, Key.of("beat"));

  private static final Duration ENDLESS = Duration.ofDays(36_500);
  private static final Duration BEAT_LEASE = Duration.ofSeconds(5);
  private static final String TYPE = "text/plain";
  private static final String REBUILD =
      "; empty the fast store, or take another prefix, and rebuild it from the database";

  private Pairing() {}

  /** Returns what both hold: the authority, a blank, 16 random digits. */
  private static String fresh(Authority authority) {
    return authority + " #" + Long.toHexString(new SecureRandom().nextLong() | Long.MIN_VALUE);
  }

  /**
   * Opens a database as the authority, and tells what the fast store must hold.
   *
   * @throws StoreException if another authority was chosen before
   */
  static String openDatabase(Tier database) {
    return requireAuthority(Authority.DATABASE, write(database, fresh(Authority.DATABASE)));
  }

  /**
   * Checks that a fast store holds copies of this database, or nothing yet.
   *
   * @throws StoreException if it holds anything else
   */
  static void checkCopies(Tier fast, String pair) {
    String found = read(fast);
    if (found == null) {
      found = isEmpty(fast) ? write(fast, pair) : read(fast); // another process may be quicker
    }
    if (found == null) {
      throw rejected(
          "the fast store has records that are no copies of this database: take another prefix, or"
              + " empty it");
    }
    if (!found.equals(pair)) {
      throw rejected(
          "the fast store holds copies of another database: take another prefix, or empty it");
    }
  }

  /**
   * Opens a fast store as the authority, with a database behind it.
   *
   * @throws StoreException if the two do not belong together, or the fast store has lost something
   */
  static String openBehind(Tier fast, Tier database) {
    String behind = read(database);
    if (behind == null) {
      behind = pairUp(fast, database);
    }
    requireAuthority(Authority.REDIS, behind);
    requireSame(read(fast), behind);
    requireBeat(fast, database);
    return behind;
  }

  /** Writes down that two stores belong together: the fast one knows it first. */
  private static String pairUp(Tier fast, Tier database) {
    String front = read(fast);
    boolean knowsAll = isEmpty(database);
    if (!knowsAll || (front != null && !isEmpty(fast))) {
      String behind = read(database); // another process may be quicker
      if (behind != null) {
        return behind;
      }
      throw rejected(
          knowsAll
              ? "the fast store belongs to another database: take another prefix"
              : "the database has records that the fast store may not know, and does not say which"
                  + " tier is the authority: rebuild the fast store from it first");
    }
    String pair = write(fast, front == null ? fresh(Authority.REDIS) : front);
    return write(database, requireAuthority(Authority.REDIS, pair));
  }

  private static void requireSame(@Nullable String front, String behind) {
    if (front == null) {
      throw rejected("the fast store has lost its records: it is empty, or another one" + REBUILD);
    }
    if (!front.equals(behind)) {
      throw rejected("the fast store belongs to another database" + REBUILD);
    }
  }

  private static void requireBeat(Tier fast, Tier database) {
    long behind = token(database); // first, since the fast store's is the larger one at any time
    long front = token(fast);
    if (front < behind) {
      throw rejected(
          "the fast store has gone back in time: it was restored, or a replica took over that was"
              + " behind, and what was claimed meanwhile is lost"
              + REBUILD);
    }
  }

  private static long token(Tier tier) {
    return tier.source().find(List.of(BEAT)).get(0).map(ClaimRecord::token).orElse(0L);
  }

  /**
   * Looks whether the fast store still is what it was, and leaves a beat.
   *
   * @throws StoreException REJECTED if it has lost something
   */
  static void beat(Tier fast, Tier database, String pair) {
    requireSame(read(fast), pair);
    requireBeat(fast, database);
    ClaimRequest request =
        ClaimRequest.of(SCOPE, BEAT.key(), newRequestId(), BEAT_LEASE, Lapse.TAKE);
    if (fast.claims().claim(List.of(request)).get(0) instanceof Answer.Claimed claimed) {
      Claim claim = claimed.claim();
      fast.claims()
          .settle(List.of(new Settlement.Release(claim, Duration.ZERO, Attempts.RESET, ENDLESS)));
      database.sink().put(List.of(Records.mark(BEAT, claim.token(), 0, ENDLESS)));
    }
  }

  /**
   * Makes a pair anew: copies all records of the database into an empty fast store, if that is to
   * be the authority, and writes down which one it is. Nobody may use the stores meanwhile.
   *
   * @return how many records were copied
   */
  static long rebuild(Authority authority, Tier database, @Nullable Tier fast) {
    long copied = 0;
    String pair = fresh(authority);
    if (fast != null) {
      if (!isEmpty(fast)) {
        throw rejected(
            "a fast store must be empty to be rebuilt: empty it, or take another prefix");
      }
      if (authority == Authority.REDIS) {
        copied = copyAll(database, fast);
        fast.sink().put(List.of(Records.mark(BEAT, Math.max(1, token(database)), 0, ENDLESS)));
      }
      write(fast, pair);
    }
    replace(database, pair);
    return copied;
  }

  private static long copyAll(Tier database, Tier fast) {
    long copied = 0;
    long largest = token(database);
    @Nullable String cursor = null;
    do {
      Page page = database.reader().list(Query.all(500), cursor);
      List<ClaimRecord> records = new ArrayList<>(page.records());
      records.removeIf(it -> it.scope().equals(SCOPE));
      for (ClaimRecord each : records) {
        largest = Math.max(largest, each.token());
      }
      fast.sink().put(records);
      copied += records.size();
      cursor = page.next();
    } while (cursor != null);
    if (largest / 1_000 > fast.clock().millis()) {
      throw rejected(
          "the database has a token that is %,d ms ahead of the fast store's clock: set that clock"
                  .formatted(largest / 1_000 - fast.clock().millis())
              + " right, empty the fast store and rebuild it again");
    }
    return copied;
  }

  /** Writes the pair unless there is one; returns the one that is there. */
  private static String write(Tier tier, String pair) {
    Answer answer = tier.claims().claim(List.of(pairing(pair, ClaimRequest.ANY))).get(0);
    return answer instanceof Answer.Done done ? text(done.result()) : pair;
  }

  private static void replace(Tier tier, String pair) {
    long token =
        tier.source().find(List.of(PAIR)).get(0).map(ClaimRecord::token).orElse(ClaimRequest.ANY);
    Answer answer = tier.claims().claim(List.of(pairing(pair, token))).get(0);
    if (!(answer instanceof Answer.Claimed)) {
      throw rejected("somebody else changes the authority of this database at the same time");
    }
  }

  private static ClaimRequest pairing(String pair, long token) {
    Result result = new Result.Value(TYPE, pair.getBytes(US_ASCII));
    return ClaimRequest.of(SCOPE, PAIR.key(), newRequestId(), BEAT_LEASE, Lapse.PARK)
        .settlingNow(result, ENDLESS)
        .expecting(token);
  }

  private static @Nullable String read(Tier tier) {
    return tier.source().find(List.of(PAIR)).get(0).map(it -> text(it.result())).orElse(null);
  }

  private static String text(Result result) {
    return result instanceof Result.Value value ? new String(value.bytes(), US_ASCII) : "";
  }

  private static String requireAuthority(Authority wanted, String pair) {
    String is = pair.substring(0, Math.max(0, pair.lastIndexOf(" #")));
    if (!is.equals(wanted.toString())) {
      throw rejected(
          "the stores were made with authority: "
              + is
              + ", and authority: "
              + wanted
              + " was asked for: ask for that one, or rebuild the tiers with the other");
    }
    return pair;
  }

  /** Tells whether a store has no records but those of this class. */
  private static boolean isEmpty(Tier tier) {
    @Nullable String cursor = null;
    do {
      Page page = tier.reader().list(Query.all(100), cursor);
      if (page.records().stream().anyMatch(it -> !it.scope().equals(SCOPE))) {
        return false;
      }
      cursor = page.next();
    } while (cursor != null);
    return true;
  }

  private static long newRequestId() {
    return ThreadLocalRandom.current().nextLong();
  }

  private static StoreException rejected(String sentence) {
    return new StoreException(Kind.REJECTED, Objects.requireNonNull(sentence));
  }
}
