package dev.onlyonce.services;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The programs that are installed on this machine, as far as they lie in some folders. */
record Programs(List<Path> folders) {
  private static final Pattern SEPARATOR = Pattern.compile(File.pathSeparator, Pattern.LITERAL);

  /** Those of the PATH, and of the folders where servers lie that an ordinary PATH leaves out. */
  static Programs installed() {
    List<Path> folders = new ArrayList<>();
    String path = System.getenv().getOrDefault("PATH", "");
    SEPARATOR.splitAsStream(path).filter(it -> !it.isBlank()).map(Path::of).forEach(folders::add);
    folders.addAll(List.of(Path.of("/usr/local/sbin"), Path.of("/usr/sbin"), Path.of("/sbin")));
    return new Programs(folders);
  }

  Optional<Path> find(String program) {
    return folders.stream()
        .map(it -> it.resolve(program).toAbsolutePath())
        .filter(Files::isRegularFile)
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** The path of a program; throws {@link ServerException} with what is to be installed. */
  String require(String program, String debianPackage) {
    return find(program).orElseThrow(() -> missing(program, debianPackage)).toString();
  }

  ServerException missing(String program, String debianPackage) {
    String searched = folders.stream().map(Path::toString).collect(Collectors.joining(":"));
    return new ServerException(
        "%s is not installed; please install %s (Debian's name of the package); looked into %s"
            .formatted(program, debianPackage, searched));
  }
}
