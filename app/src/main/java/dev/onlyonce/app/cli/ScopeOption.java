package dev.onlyonce.app.cli;

import dev.onlyonce.Scope;
import dev.onlyonce.app.claims.Lookup;
import dev.onlyonce.spi.ClaimReader;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** In which scope keys are. */
final class ScopeOption {

  @Option(
      names = "--scope",
      paramLabel = "NAME",
      description = "Only keys of this scope. Without it, of all scopes.")
  private @Nullable Scope scope;

  @Nullable Scope scope() {
    return scope;
  }

  Lookup lookup(ClaimReader reader) {
    return Lookup.in(scope, reader);
  }

  /** Reads the name of a scope. */
  static Scope parse(String name) {
    try {
      return Scope.of(name);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
