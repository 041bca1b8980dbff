package dev.onlyonce.app.cli;

import java.util.Arrays;
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
}
