package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.Scope;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The names of the scopes, for listings. A scope is named in Redis before its first record is made
 * by this process. Safe for use by several threads.
 */
final class ScopeNames {

  private static final int MOST = 65_536;

  private final Shop shop;
  private final Set<Scope> named = ConcurrentHashMap.newKeySet();
  private final Map<String, Scope> known = new ConcurrentHashMap<>();

  ScopeNames(Shop shop) {
    this.shop = shop;
  }

  /** Sees to it that the scopes of a batch have their names. */
  <T> void name(List<T> batch, Function<T, Scope> scopeOf) {
    Set<Scope> missing = new HashSet<>();
    for (T each : batch) {
      Scope scope = scopeOf.apply(each);
      if (!named.contains(scope)) {
        missing.add(scope);
      }
    }
    if (missing.isEmpty()) {
      return;
    }
    List<byte[]> arguments = new ArrayList<>();
    for (Scope scope : missing) {
      arguments.add(hex(shop.places().numberOf(scope)).getBytes(US_ASCII));
      arguments.add(scope.name().getBytes(US_ASCII));
    }
    shop.dispatcher().run(List.of(call(true, arguments)));
    if (named.size() >= MOST) {
      named.clear();
    }
    named.addAll(missing);
  }

  private Call call(boolean writes, List<byte[]> arguments) {
    Names.Name name = shop.names().scopes();
    return new Call(Script.SCOPES, name.key(), name.slot(), writes, arguments);
  }

  /** Returns the scope whose number stands in a field. */
  Scope of(byte[] field) {
    String number = hex(Places.numberIn(field));
    Scope scope = known.get(number);
    if (scope == null) {
      all();
      scope = known.get(number);
    }
    return scope == null ? Scope.of("unnamed-" + number) : scope;
  }

  /** Returns all scopes that were ever named. */
  Set<Scope> all() {
    Call call = call(false, List.of());
    shop.dispatcher().run(List.of(call));
    if (known.size() >= MOST) {
      known.clear();
    }
    Set<Scope> all = new HashSet<>();
    List<?> reply = call.list();
    for (int i = 0; i < reply.size(); i += 2) {
      Scope scope = Scope.of(new String((byte[]) reply.get(i + 1), US_ASCII));
      all.add(scope);
      known.put(new String((byte[]) reply.get(i), US_ASCII), scope);
    }
    return all;
  }

  private static String hex(byte[] number) {
    return HexFormat.of().formatHex(number);
  }
}
