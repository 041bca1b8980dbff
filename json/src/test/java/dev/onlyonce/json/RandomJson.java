package dev.onlyonce.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Random JSON values, written in a different way each time, and changed in one place.
 *
 * <p>A value is a map, a list, a string, a {@link Numeral}, a boolean, or null.
 */
final class RandomJson {

  /** A number by its value: digits that do not end in zero, times ten to a power; or zero. */
  record Numeral(BigInteger digits, int power) {
    static Numeral of(BigInteger digits, int power) {
      BigInteger kept = digits;
      int moved = power;
      while (kept.signum() != 0 && kept.mod(BigInteger.TEN).signum() == 0) {
        kept = kept.divide(BigInteger.TEN);
        moved++;
      }
      return new Numeral(kept, kept.signum() == 0 ? 0 : moved);
    }
  }

  private static final String[] CHARACTERS = {
    "a",
    "B",
    "0",
    " ",
    "/",
    "~",
    "\"",
    "\\",
    "\n",
    "\t",
    "\b",
    "\f",
    "\r",
    "\u0000",
    "\u001f",
    "\u007f",
    "\u0080",
    "\u00e9",
    "e\u0301",
    "\u07ff",
    "\u0800",
    "\u20ac",
    "\ufb33",
    "\uffff",
    "\ud83d\ude00",
    "\udbff\udfff",
    "{",
    "]",
    ","
  };

  private final Random random;

  RandomJson(long seed) {
    random = new Random(seed);
  }

  Map<String, Object> object() {
    return object(3);
  }

  Numeral number() {
    BigInteger digits = new BigInteger(random.nextInt(120), random);
    return Numeral.of(
        random.nextBoolean() ? digits : digits.negate(),
        random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(60) - 30);
  }

  String string() {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(8); i > 0; i--) {
      text.append(CHARACTERS[random.nextInt(CHARACTERS.length)]);
    }
    return text.toString();
  }

  private Map<String, Object> object(int depth) {
    Map<String, Object> members = new LinkedHashMap<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      members.put(string(), value(depth - 1));
    }
    return members;
  }

  private Object value(int depth) {
    return switch (random.nextInt(depth > 0 ? 8 : 5)) {
      case 0 -> null;
      case 1 -> random.nextBoolean();
      case 2 -> number();
      case 3, 4 -> string();
      case 5 -> array(depth);
      default -> object(depth);
    };
  }

  private List<Object> array(int depth) {
    List<Object> elements = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      elements.add(value(depth - 1));
    }
    return elements;
  }

  /** Returns a copy that says something else in one place. */
  Map<String, Object> changed(Map<String, Object> object) {
    Map<String, Object> copy = new LinkedHashMap<>(object);
    List<String> names = new ArrayList<>(copy.keySet());
    String name = names.isEmpty() ? "" : names.get(random.nextInt(names.size()));
    if (names.isEmpty() || random.nextInt(6) == 0) {
      copy.put(name + "+", null);
    } else if (random.nextInt(6) == 0) {
      copy.put(name + "+", copy.remove(name));
    } else {
      copy.put(name, changedValue(copy.get(name)));
    }
    return copy;
  }

  @SuppressWarnings("unchecked") // made here, of maps and lists of objects
  private Object changedValue(Object value) {
    if (value == null) {
      return false;
    }
    if (value instanceof Map<?, ?> map) {
      return changed((Map<String, Object>) map);
    }
    if (value instanceof String text) {
      return text + "x";
    }
    if (value instanceof Numeral number) {
      return random.nextBoolean()
          ? Numeral.of(number.digits().multiply(BigInteger.TEN).add(BigInteger.ONE), number.power())
          : number.digits().toString() + "e" + number.power();
    }
    if (value instanceof List<?> list) {
      List<Object> copy = new ArrayList<>(list);
      Collections.reverse(copy);
      if (copy.equals(list)) {
        copy.add(null);
      }
      return copy;
    }
    return null;
  }

  /** Writes the value in one of its many spellings. */
  byte[] write(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    space(out);
    return out.toString().getBytes(UTF_8);
  }

  private void write(Object value, StringBuilder out) {
    space(out);
    if (value instanceof Map<?, ?> map) {
      List<Map.Entry<?, ?>> members = new ArrayList<>(map.entrySet());
      Collections.shuffle(members, random);
      String before = "{";
      for (Map.Entry<?, ?> member : members) {
        out.append(before);
        write(member.getKey(), out);
        space(out);
        out.append(':');
        write(member.getValue(), out);
        space(out);
        before = ",";
      }
      out.append(members.isEmpty() ? "{}" : "}");
    } else if (value instanceof List<?> list) {
      out.append('[');
      for (int i = 0; i < list.size(); i++) {
        out.append(i > 0 ? "," : "");
        write(list.get(i), out);
        space(out);
      }
      out.append(']');
    } else if (value instanceof String text) {
      quote(text, out);
    } else {
      out.append(value instanceof Numeral number ? spell(number) : value);
    }
  }

  private void space(StringBuilder out) {
    for (int i = random.nextInt(6); i > 4; i--) {
      out.append(" \t\r\n".charAt(random.nextInt(4)));
    }
  }

  private void quote(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c == '"' || c == '\\' || escapesAnyway(c)) {
        int plain = "\"\\/\b\f\n\r\t".indexOf(c);
        if (plain >= 0 && random.nextBoolean()) {
          out.append('\\').append("\"\\/bfnrt".charAt(plain));
        } else {
          out.append((random.nextBoolean() ? "\\u%04x" : "\\u%04X").formatted((int) c));
        }
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }

  private boolean escapesAnyway(char c) {
    // Half of a surrogate pair cannot stand as it is beside an escaped half.
    return !Character.isSurrogate(c) && random.nextInt(4) == 0;
  }

  /** Writes the number with a random place for its point, and the exponent that makes up for it. */
  String spell(Numeral number) {
    int zeros = number.digits().signum() == 0 ? 0 : random.nextInt(4);
    String digits = number.digits().abs() + "0".repeat(zeros);
    long power = (long) number.power() - zeros;
    int fraction = random.nextInt(digits.length() + 4);
    if (fraction > 0) {
      digits = "0".repeat(Math.max(0, fraction + 1 - digits.length())) + digits;
      int point = digits.length() - fraction;
      digits = digits.substring(0, point) + "." + digits.substring(point);
      power += fraction;
    }
    boolean minus =
        number.digits().signum() < 0 || (number.digits().signum() == 0 && random.nextBoolean());
    String text = (minus ? "-" : "") + digits;
    if (power == 0 && random.nextBoolean()) {
      return text;
    }
    return text
        + (random.nextBoolean() ? "e" : "E")
        + (power < 0 ? "-" : random.nextBoolean() ? "+" : "")
        + "0".repeat(random.nextInt(3))
        + Math.abs(power);
  }
}
