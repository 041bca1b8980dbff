package dev.onlyonce.app.claims;

import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Some of the keys of a store, as they are shown: those of the records that it lists first. For
 * telling who has named a key in part which ones may be meant.
 */
final class KeySample {

  private static final int MOST_PAGES = 20;
  private static final int MOST_NAMED = 3;

  private final TreeSet<String> keys = new TreeSet<>();
  private boolean isPartial;

  private KeySample() {}

  /** Looks at the first records of these scopes. */
  static KeySample of(ClaimReader reader, Collection<Scope> scopes) {
    KeySample sample = new KeySample();
    int pages = MOST_PAGES;
    for (Scope scope : scopes) {
      Query query = Query.all(Listing.PAGE).in(scope).of(EnumSet.allOf(ClaimState.class));
      @Nullable String cursor = null;
      do {
        if (pages-- == 0) {
          sample.isPartial = true;
          return sample;
        }
        Page page = reader.list(query, cursor);
        page.records().forEach(sample::add);
        cursor = page.next();
      } while (cursor != null);
    }
    return sample;
  }

  private void add(ClaimRecord record) {
    if (record.key() == null) {
      isPartial = true;
    } else {
      keys.add(record.key().toString());
    }
  }

  /** Names some keys whose first part this is or, if there are none, that begin like it. */
  Optional<String> beginningLike(String text) {
    return Stream.of(asFirstParts(text).toList(), List.of(text))
        .map(this::startingWith)
        .filter(found -> !found.isEmpty())
        .findFirst()
        .map(KeySample::named);
  }

  private List<String> startingWith(List<String> prefixes) {
    return prefixes.stream()
        .flatMap(
            prefix ->
                keys.tailSet(prefix).stream()
                    .takeWhile(key -> key.startsWith(prefix))
                    .limit(MOST_NAMED + 1L))
        .toList();
  }

  private static String named(List<String> found) {
    String names = String.join(" and ", found.subList(0, Math.min(found.size(), MOST_NAMED)));
    if (found.size() == 1) {
      return "is " + names + ", which begins so";
    }
    return "are " + names + (found.size() > MOST_NAMED ? " and others" : "") + ", which begin so";
  }

  /** Says how a key is written that may be meant and was not seen; nothing if all were seen. */
  String unseen(String text) {
    return isPartial && !text.startsWith("~")
        ? "; if it is the first part of a key, that is written "
            + asFirstParts(text).findFirst().orElseThrow()
            + "PART"
        : "";
  }

  /** Returns how composite keys are shown whose first part this is, as text and as JSON. */
  private static Stream<String> asFirstParts(String text) {
    return text.startsWith("~")
        ? Stream.of(text + ",")
        : Stream.concat(Stream.of(Lookup.key(text)), Lookup.json(text).stream())
            .distinct()
            .map(part -> "~c:" + part.toString().replace("\\", "\\\\").replace(",", "\\,") + ",");
  }
}
