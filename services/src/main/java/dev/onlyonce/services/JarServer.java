package dev.onlyonce.services;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What starts a program of a server's jars in a JVM of its own. Where the jars lie was written down
 * when the module was built that depends on them; they are on no other class path.
 *
 * @param heap the size of the heap, as {@code -Xmx} takes it
 */
record JarServer(String name, String heap) {
  /** What follows are more options, the main class and its arguments. */
  List<String> java(Home home, String... program) {
    // It is to be there soon, beside others, and does not live long.
    List<String> options = List.of("-Xmx" + heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    String classPath = "-cp \"" + classPath().replace("\\", "\\\\") + '"';
    Path file =
        home.file("jvm.options", Stream.concat(options.stream(), Stream.of(classPath)).toList());

    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("@" + file);
    command.addAll(List.of(program));
    return command;
  }

  /** The jars, and the module itself, which may have the main class. */
  private String classPath() {
    String file = name + ".classpath";
    @Nullable URL list = JarServer.class.getResource(file);
    if (list == null) {
      throw new ServerException(file + " is not there; please build the module services/" + name);
    }
    try (InputStream jars = list.openStream()) {
      return new String(jars.readAllBytes(), UTF_8).strip() + File.pathSeparator + root(list);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The jar or folder in which it lies, in the package of this class. */
  private static Path root(URL file) throws IOException {
    if (file.openConnection() instanceof JarURLConnection jar) {
      return Path.of(URI.create(jar.getJarFileURL().toString()));
    }
    Path folder = Path.of(URI.create(file.toString()));
    for (String unused : (JarServer.class.getPackageName() + ".file").split("\\.", -1)) {
      folder = Objects.requireNonNull(folder.getParent());
    }
    return folder;
  }
}
