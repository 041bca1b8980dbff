package dev.onlyonce.app.cli;

import dev.onlyonce.app.input.Format;
import dev.onlyonce.spi.ClaimState;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** One of a few words, in capitals or not. */
final class Choice<E extends Enum<E>> implements ITypeConverter<E> {

  private final List<E> all;

  Choice(Class<E> type) {
    this.all = Arrays.asList(type.getEnumConstants());
  }

  @Override
  public E convert(String value) {
    for (E one : all) {
      if (one.name().equalsIgnoreCase(value)) {
        return one;
      }
    }
    List<String> words = all.stream().map(one -> one.name().toLowerCase(Locale.ROOT)).toList();
    int last = words.size() - 1;
    throw new TypeConversionException(
        "must be %s or %s, was '%s'"
            .formatted(String.join(", ", words.subList(0, last)), words.get(last), value));
  }

  /** The words that a shell completes. */
  private abstract static class Words implements Iterable<String> {
    private final List<String> words;

    Words(List<? extends Enum<?>> all) {
      this.words = all.stream().map(one -> one.name().toLowerCase(Locale.ROOT)).toList();
    }

    @Override
    public Iterator<String> iterator() {
      return words.iterator();
    }
  }

  /** The formats of records. */
  static final class Formats extends Words {
    Formats() {
      super(List.of(Format.values()));
    }
  }

  /** The states that a record may be in, as far as this version knows. */
  static final class States extends Words {
    States() {
      super(List.of(ClaimState.CLAIMED, ClaimState.DONE, ClaimState.FAILED, ClaimState.RELEASED));
    }
  }

  /** The shells that there is a completion script for. */
  static final class Shells extends Words {
    Shells() {
      super(List.of(CompletionCommand.Kind.values()));
    }
  }
}
