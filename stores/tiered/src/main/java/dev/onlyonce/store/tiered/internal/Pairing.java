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
import dev.onlyonce.spi.RecordSource;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.spi.TierMark;
import dev.onlyonce.store.tiered.Authority;
import dev.onlyonce.store.tiered.TieredStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Knows which tier is the authority: the database holds a record that says so, the pair, in a scope
 * that nobody else may use. Each rebuild writes another one, so whoever still has the old one has
 * been left out of the rebuild and must stop.
 *
 * <p>Where the fast store is the authority, it holds the same pair, and both hold a beat: a claim
 * that is made in the fast store every second, and whose token is then written to the database. A
 * fast store whose beat has a smaller token than the database's has gone back in time: it was
 * restored, or a replica took over that was behind. Every pair has a beat of its own.
 */
public final class Pairing {

  static final RecordId PAIR = TierMark.ID;
  static final Scope SCOPE = PAIR.scope();

  private static final Duration ENDLESS = Duration.ofDays(36_500);
  private static final Duration BEAT_LEASE = Duration.ofSeconds(5);
  private static final String TYPE = "text/plain";
  private static final String MARK = " #";

  /** How the tiers are made anew: by the program, or in one. */
  private static final String COMMAND =
      "onlyonce doctor --rebuild --yes --store tiered:FILE.yaml, or TieredStore.Builder.rebuild()";

  private static final String REBUILD =
      "; stop all programs, empty Redis or take another prefix, and rebuild it from the database: "
          + COMMAND;

  private Pairing() {}

  /** Returns what a pair says: the authority, a blank, #, 16 random digits. */
  private static String fresh(Authority authority) {
    return authority + MARK + Long.toHexString(new SecureRandom().nextLong() | Long.MIN_VALUE);
  }

  /** Returns the digits of a pair, which no other one has. */
  static String id(String pair) {
    return pair.substring(pair.lastIndexOf(MARK) + MARK.length());
  }

  /** As {@link TieredStore#authorityOf}. */
  public static Optional<Authority> authority(RecordSource store) {
    String pair = read(store);
    try {
      return pair == null ? Optional.empty() : Optional.of(Authority.of(authorityOf(pair)));
    } catch (IllegalArgumentException e) {
      throw rejected("the store is of tiers that this version does not know: " + e.getMessage());
    }
  }

  /**
   * Opens a database as the authority.
   *
   * @return its pair
   * @throws StoreException if another authority was chosen before
   */
  static String openDatabase(Tier database) {
    return requireAuthority(Authority.DATABASE, write(database, fresh(Authority.DATABASE)));
  }

  /**
   * Looks whether the database still says what it said when the tiers were opened.
   *
   * @throws StoreException REJECTED if it does not
   */
  static void requireStill(Tier database, String pair) {
    if (!pair.equals(read(database))) {
      throw rejected(
          "the tiers were made anew, or their database is another one, since this store was opened:"
              + " nothing may be done with it any more, open it again");
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
    requireBeat(fast.source(), database.source(), behind);
    return behind;
  }

  /** Writes down that two stores belong together: the fast one knows it first. */
  private static String pairUp(Tier fast, Tier database) {
    boolean isNew = isEmpty(database) && isEmpty(fast);
    if (!isNew) {
      String behind = read(database); // another process may be quicker
      if (behind != null) {
        return behind;
      }
      throw rejected(
          isEmpty(fast)
              ? "the database has records that Redis may not know, and does not say which tier is the"
                  + " authority: rebuild Redis from it first, while nobody uses them: "
                  + COMMAND
              : "Redis has records that are not in the database, which is new or another one: give it"
                  + " its own database, or empty it or take another prefix");
    }
    String front = read(fast);
    String pair = write(fast, front == null ? fresh(Authority.REDIS) : front);
    return write(database, requireAuthority(Authority.REDIS, pair));
  }

  /**
   * Checks that a store that is looked at is the authority, where that is written down.
   *
   * @throws StoreException REJECTED if it is not, or has lost something
   */
  static void checkAuthority(Authority authority, RecordSource database, RecordSource records) {
    String pair = read(database);
    if (pair != null) {
      requireAuthority(authority, pair);
      requireSame(read(records), pair);
      requireBeat(records, database, pair);
    }
  }

  private static void requireSame(@Nullable String front, String behind) {
    if (front == null) {
      throw rejected("Redis has lost its records: it is empty, or another one" + REBUILD);
    }
    if (!front.equals(behind)) {
      throw rejected("Redis belongs to another database" + REBUILD);
    }
  }

  /** Returns the token of the fast store's beat. */
  private static long requireBeat(RecordSource fast, RecordSource database, String pair) {
    long behind = token(database, beat(pair)); // first: the fast store's is the larger one always
    long front = token(fast, beat(pair));
    if (front < behind) {
      throw rejected(
          "Redis has gone back in time: it was restored, or a replica took over that was behind, and"
              + " what was claimed meanwhile is lost"
              + REBUILD);
    }
    return front;
  }

  private static RecordId beat(String pair) {
    return new RecordId(SCOPE, Key.of("beat " + id(pair)));
  }

  private static long token(RecordSource store, RecordId id) {
    return store.find(List.of(id)).get(0).map(ClaimRecord::token).orElse(ClaimRequest.ANY);
  }

  /**
   * Looks whether the fast store still is what it was, and leaves a beat, unless another process
   * does so at the same time.
   *
   * @throws StoreException REJECTED if it has lost something
   */
  static void beat(Tier fast, Tier database, String pair) {
    requireSame(read(fast), pair);
    long token = requireBeat(fast.source(), database.source(), pair);
    RecordId beat = beat(pair);
    ClaimRequest request =
        ClaimRequest.of(SCOPE, beat.key(), newRequestId(), BEAT_LEASE, Lapse.TAKE).expecting(token);
    if (fast.claims().claim(List.of(request)).get(0) instanceof Answer.Claimed claimed) {
      Claim claim = claimed.claim();
      fast.claims()
          .settle(List.of(new Settlement.Release(claim, Duration.ZERO, Attempts.RESET, ENDLESS)));
      database.sink().put(List.of(Records.mark(beat, claim.token(), 0, ENDLESS)));
    }
  }

  /**
   * Makes a pair anew, by which everybody who has the old one is left out, and copies all records
   * of the database into an empty fast store, if that is to be the authority. Nobody may use the
   * stores meanwhile.
   *
   * @return how many records were copied
   */
  static long rebuild(Authority authority, Tier database, @Nullable Tier fast) {
    String pair = fresh(authority);
    if (authority == Authority.DATABASE || fast == null) {
      requireClock(database, "the database", largestOwn(database));
      replace(database, pair);
      return 0;
    }
    if (!isEmpty(fast)) {
      throw rejected("Redis must be empty to be rebuilt: empty it, or take another prefix");
    }
    replace(database, pair);
    long copied = copyAll(database, fast);
    write(fast, pair); // last: what is half copied has none, and is not opened
    return copied;
  }

  /** Returns the largest token of the database's own records: that of a beat, if there was one. */
  private static long largestOwn(Tier database) {
    return database.reader().list(Query.all(1_000).in(SCOPE), null).records().stream()
        .mapToLong(ClaimRecord::token)
        .max()
        .orElse(0);
  }

  /** What a new authority gives must be larger than what any has given before it. */
  private static void requireClock(Tier tier, String name, long largest) {
    long ahead = largest / 1_000 - tier.clock().millis();
    if (ahead > 0) {
      throw rejected(
          "there is a token that is %,d ms ahead of the clock of %s: set that clock right"
                  .formatted(ahead, name)
              + " and rebuild the tiers again, with an empty Redis: "
              + COMMAND);
    }
  }

  private static long copyAll(Tier database, Tier fast) {
    long copied = 0;
    long largest = 0;
    @Nullable String cursor = null;
    do {
      Page page = database.reader().list(Query.all(500), cursor);
      List<ClaimRecord> records = new ArrayList<>(page.records());
      for (ClaimRecord each : records) {
        largest = Math.max(largest, each.token());
      }
      records.removeIf(it -> it.scope().equals(SCOPE));
      fast.sink().put(records);
      copied += records.size();
      cursor = page.next();
    } while (cursor != null);
    requireClock(fast, "Redis", largest);
    return copied;
  }

  /** Writes the pair unless there is one; returns the one that is there. */
  private static String write(Tier tier, String pair) {
    Answer answer = tier.claims().claim(List.of(pairing(pair, ClaimRequest.ANY))).get(0);
    if (answer instanceof Answer.Done done) {
      return text(done.result());
    }
    if (!(answer instanceof Answer.Claimed)) {
      throw rejected("the record that says which tier is the authority is not to be written");
    }
    return pair;
  }

  private static void replace(Tier tier, String pair) {
    Answer answer = tier.claims().claim(List.of(pairing(pair, token(tier.source(), PAIR)))).get(0);
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
    return read(tier.source());
  }

  private static @Nullable String read(RecordSource store) {
    return store.find(List.of(PAIR)).get(0).map(it -> text(it.result())).orElse(null);
  }

  private static String text(Result result) {
    return result instanceof Result.Value value ? new String(value.bytes(), US_ASCII) : "";
  }

  private static String requireAuthority(Authority wanted, String pair) {
    String is = authorityOf(pair);
    if (!is.equals(wanted.toString())) {
      throw rejected(
          "the stores were made with authority: "
              + is
              + ", and authority: "
              + wanted
              + " was asked for: ask for that one, or rebuild the tiers with the other, with an empty"
              + " Redis and while nobody uses them: "
              + COMMAND);
    }
    return pair;
  }

  private static String authorityOf(String pair) {
    return pair.substring(0, Math.max(0, pair.lastIndexOf(MARK)));
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
