package dev.onlyonce.app.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IVersionProvider;

/** The version of the program, as the build wrote it into the jar. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    @Nullable String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {
      "onlyonce " + (version == null ? "(not from a jar)" : version),
      "Java " + Runtime.version() + ", " + System.getProperty("os.name")
    };
  }
}
