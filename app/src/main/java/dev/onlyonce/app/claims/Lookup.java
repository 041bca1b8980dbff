package dev.onlyonce.app.claims;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.app.Failure;
import dev.onlyonce.json.JsonKeys;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.KeyExtractor.Keyed;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the records of keys that an operator names, in one scope or in all. */
public final class Lookup {

  private final ClaimReader reader;
  private final List<Scope> scopes;
  private @Nullable KeySample sample;

  /** Looks into a scope of a store, or into all that it has. */
  public static Lookup in(@Nullable Scope scope, ClaimReader reader) {
    return new Lookup(reader, scope == null ? reader.scopes() : Set.of(scope));
  }

  private Lookup(ClaimReader reader, Collection<Scope> scopes) {
    this.reader = reader;
    this.scopes = scopes.stream().sorted((a, b) -> a.name().compareTo(b.name())).toList();
  }

  /**
   * Reads a key as it is shown: text stands for itself, the other kinds begin with a tilde. Text
   * that is too long for a key is its digest, as everywhere.
   *
   * @throws Failure if it cannot be a key
   */
  public static Key key(String text) {
    try {
      return text.startsWith("~") ? Key.parse(text) : Key.fitting(text);
    } catch (IllegalArgumentException e) {
      throw Failure.usage(String.valueOf(e.getMessage()));
    }
  }

  /** Returns the records of a key, one for each scope that has it. */
  public List<ClaimRecord> find(Key key) {
    List<ClaimRecord> found = new ArrayList<>();
    for (Scope scope : scopes) {
      reader.find(scope, key).ifPresent(found::add);
    }
    return found;
  }

  /**
   * Says why there may be no record of a key: nothing is known of it, or only of one that is
   * written alike, or of some that begin so.
   */
  public String absence(String text) {
    String where = scopes.size() == 1 ? " in scope " + scopes.get(0) : "";
    String absent = key(text) + " is absent" + where + ": nothing is known of it";
    return alike(text)
        .or(() -> sample().beginningLike(text))
        .map(others -> absent + "; but there " + others)
        .orElseGet(() -> absent + ", so its next copy runs" + sample().unseen(text));
  }

  private KeySample sample() {
    if (sample == null) {
      sample = KeySample.of(reader, scopes);
    }
    return sample;
  }

  private Optional<String> alike(String text) {
    Map<Key, String> others = new LinkedHashMap<>();
    byte[] bytes = text.getBytes(UTF_8);
    json(text)
        .ifPresent(
            key ->
                others.put(
                    key,
                    text.strip().startsWith("\"")
                        ? "which is the text in those quotes"
                        : "which is JSON and not text"));
    if (!text.startsWith("~")) {
      if (text.contains(",")) {
        others.put(Key.parse("~c:" + text), "which is a composite of parts");
      }
      others.put(Key.digestOf(bytes), "which is the digest of that text");
    }
    others.remove(key(text));
    return others.entrySet().stream()
        .filter(other -> !find(other.getKey()).isEmpty())
        .map(other -> "is " + other.getKey() + ", " + other.getValue())
        .findFirst();
  }

  /** Returns the key that this text is as JSON. */
  static Optional<Key> json(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    return JsonKeys.at("").extract(bytes, 0, bytes.length) instanceof Keyed json
        ? Optional.of(json.key())
        : Optional.empty();
  }
}
