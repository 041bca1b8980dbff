package dev.onlyonce.app.cli;

import dev.onlyonce.app.claims.Standing;
import dev.onlyonce.app.input.Format;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** One of a few words, in capitals or not; those of two have a dash between them. */
final class Choice<E extends Enum<E>> implements ITypeConverter<E> {

  private final List<E> all;

  Choice(Class<E> type) {
    this(List.of(type.getEnumConstants()));
  }

  /** Leaves out what nobody may choose. */
  Choice(List<E> all) {
    this.all = all;
  }

  @Override
  public E convert(String value) {
    for (E one : all) {
      if (word(one).equalsIgnoreCase(value)) {
        return one;
      }
    }
    List<String> words = all.stream().map(Choice::word).toList();
    int last = words.size() - 1;
    throw new TypeConversionException(
        "must be %s or %s, was '%s'"
            .formatted(String.join(", ", words.subList(0, last)), words.get(last), value));
  }

  private static String word(Enum<?> one) {
    return one.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The standings that keys may be looked for in: not those of newer versions. */
  static List<Standing> standings() {
    return Stream.of(Standing.values()).filter(it -> it != Standing.UNKNOWN).toList();
  }

  /** The words that a shell completes. */
  private abstract static class Words implements Iterable<String> {
    private final List<String> words;

    Words(List<String> words) {
      this.words = words;
    }

    Words(Enum<?>[] all) {
      this(Stream.of(all).map(Choice::word).toList());
    }

    @Override
    public Iterator<String> iterator() {
      return words.iterator();
    }
  }

  /** The formats of records. */
  static final class Formats extends Words {
    Formats() {
      super(Format.values());
    }
  }

  /** The standings that a key may be in. */
  static final class Standings extends Words {
    Standings() {
      super(standings().stream().map(Choice::word).toList());
    }
  }

  /** How a run says what it did. */
  static final class StatsKinds extends Words {
    StatsKinds() {
      super(Stats.values());
    }
  }

  /** The shells that there is a completion script for. */
  static final class Shells extends Words {
    Shells() {
      super(CompletionCommand.Kind.values());
    }
  }

  /** What to do with records that cannot be handled; files are offered by the shell itself. */
  static final class Policies extends Words {
    Policies() {
      super(List.of("fail", "pass"));
    }
  }

  /** What to do with records that are late; files are offered by the shell itself. */
  static final class LatePolicies extends Words {
    LatePolicies() {
      super(List.of("pass", "drop"));
    }
  }
}
