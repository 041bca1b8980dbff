package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.Scope;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The numbers of the scopes, by which listings know the scope of a key that is done. A scope gets
 * its number before its first record is made; nothing but listings relies on it. Safe for use by
 * several threads.
 */
final class ScopeNames {

  /** The scope of a key that is done, if it has no number. */
  static final Scope UNNUMBERED = Scope.of("onlyonce/unnumbered");

  /** How many scopes are remembered; when there are more, all are forgotten and met anew. */
  private static final int MOST = 100_000;

  private final Names.Name name;
  private final Dispatcher dispatcher;
  private final Map<Scope, Integer> numbers = new ConcurrentHashMap<>();
  private final Map<Integer, Scope> scopes = new ConcurrentHashMap<>();

  ScopeNames(Names.Name name, Dispatcher dispatcher) {
    this.name = name;
    this.dispatcher = dispatcher;
  }

  /** Sees to it that the scopes of a batch have their numbers. */
  <T> void number(List<T> batch, Function<T, Scope> scopeOf) {
    Set<Scope> missing = new LinkedHashSet<>();
    for (T each : batch) {
      Scope scope = scopeOf.apply(each);
      if (!numbers.containsKey(scope)) {
        missing.add(scope);
      }
    }
    if (missing.isEmpty()) {
      return;
    }
    List<Scope> all = List.copyOf(missing);
    List<?> reply = call(true, all.stream().map(it -> it.name().getBytes(US_ASCII)).toList());
    if (numbers.size() >= MOST) {
      numbers.clear();
    }
    for (int i = 0; i < all.size(); i++) {
      numbers.put(all.get(i), Math.toIntExact((Long) reply.get(i)));
    }
  }

  private List<?> call(boolean writes, List<byte[]> arguments) {
    Call call = new Call(Script.SCOPES, name.key(), name.slot(), writes, arguments);
    dispatcher.runPatiently(List.of(call));
    return call.list();
  }

  /** Returns the number of a scope, 0 if it has none. */
  int numberOf(Scope scope) {
    return numbers.getOrDefault(scope, 0);
  }

  /** Returns the scope with that number. */
  Scope ofNumber(int number) {
    Scope scope = scopes.get(number);
    if (scope == null && number != 0) {
      all();
      scope = scopes.get(number);
    }
    return scope == null ? UNNUMBERED : scope;
  }

  /** Returns all scopes that were ever numbered. */
  Set<Scope> all() {
    List<?> reply = call(false, new ArrayList<>());
    Set<Scope> all = new LinkedHashSet<>();
    for (int i = 0; i < reply.size(); i += 2) {
      Scope scope = Scope.of(new String((byte[]) reply.get(i), US_ASCII));
      all.add(scope);
      scopes.put(Integer.valueOf(new String((byte[]) reply.get(i + 1), US_ASCII)), scope);
    }
    return all;
  }
}
