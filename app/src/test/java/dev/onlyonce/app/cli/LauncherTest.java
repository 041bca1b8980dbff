package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher script in a small clone, with a Maven that notes that it was called. */
class LauncherTest {
  private static final Path SCRIPT = Path.of("..", "onlyonce");
  private static final String TOOLS = "bash dirname readlink find head sed touch rm mv mkdir cat";

  @TempDir Path folder;
  private Path clone;
  private Path bin;
  private Shell shell;

  @BeforeEach
  void makeClone() throws IOException {
    clone = Files.createDirectory(folder.resolve("a clone"));
    bin = Files.createDirectory(folder.resolve("bin"));
    Files.copy(SCRIPT, clone.resolve("onlyonce"));
    for (String module : List.of("app", "core")) {
      Path sources = Files.createDirectories(clone.resolve(module).resolve("src/main/java/x"));
      Files.writeString(sources.resolve("X.java"), "class X {}");
      Files.createDirectories(clone.resolve(module).resolve("src/test/java"));
      Files.writeString(clone.resolve(module).resolve("pom.xml"), "<project/>");
    }
    Files.writeString(clone.resolve("pom.xml"), "<project/>");
    writeProgram(folder.resolve("program.jar"));
    writeMaven("cat >> ../maven.stdin; cp ../program.jar app/target/onlyonce.jar");
    shell =
        new Shell(folder)
            .set("PATH", bin + ":" + System.getenv("PATH"))
            .set("JAVA_HOME", System.getProperty("java.home"));
  }

  @Test
  void the_first_use_builds_and_says_so_in_one_line_with_the_place_of_the_log() throws IOException {
    Shell.Result result = shell.run("echo input | 'a clone/onlyonce' one 'two  three'");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.out()).isEqualTo("[one, two  three] input\n");
    assertThat(result.err())
        .isEqualTo(
            "onlyonce: first use: building the program, which may take a few minutes; Maven says what"
                + " it does in "
                + clone.toRealPath().resolve("app/target/onlyonce-build.log")
                + "\n");
    assertThat(builds()).isEqualTo(1);
    assertThat(folder.resolve("maven.stdin")).isEmptyFile();
  }

  @Test
  void the_second_use_is_quiet_and_needs_no_maven() throws IOException {
    shell.run("'a clone/onlyonce'");
    Files.delete(bin.resolve("mvn"));

    assertThat(shell.run("'a clone/onlyonce'")).isEqualTo(new Shell.Result(0, "[] \n", ""));
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void changed_sources_are_built_again() throws IOException {
    for (String changed :
        List.of("core/src/main/java/x/X.java", "core/src/main/java/x", "app/pom.xml", "pom.xml")) {
      shell.run("'a clone/onlyonce'");
      int before = builds();
      setBuilt(Instant.parse("2020-01-02T00:00:00Z"));
      setAllSources(Instant.parse("2020-01-01T00:00:00Z"));
      assertThat(shell.run("'a clone/onlyonce'").err()).isEmpty();

      Files.setLastModifiedTime(
          clone.resolve(changed), FileTime.from(Instant.parse("2020-01-03T00:00:00Z")));

      assertThat(shell.run("'a clone/onlyonce'").err())
          .startsWith("onlyonce: sources have changed: building");
      assertThat(builds()).isEqualTo(before + 1);
    }
  }

  @Test
  void changed_tests_and_built_files_do_not_matter() throws IOException {
    shell.run("'a clone/onlyonce'");
    Files.writeString(clone.resolve("core/src/test/java/XTest.java"), "class XTest {}");
    Files.createDirectories(clone.resolve("core/target/src/main"));

    assertThat(shell.run("'a clone/onlyonce'").err()).isEmpty();
  }

  @Test
  void several_first_uses_at_once_build_once() {
    Shell.Result result =
        shell.run("for i in 1 2 3 4; do 'a clone/onlyonce' $i </dev/null & done; wait");

    assertThat(result.out().lines()).containsExactlyInAnyOrder("[1] ", "[2] ", "[3] ", "[4] ");
    assertThat(result.err().lines()).hasSize(1);
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void a_failed_build_names_its_log_and_is_tried_again() throws IOException {
    writeMaven("echo '[ERROR] no compiler here'; echo '[ERROR] more'; exit 1");

    Shell.Result result = shell.run("'a clone/onlyonce'");

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err().lines().skip(1))
        .containsExactly(
            "onlyonce: the build failed; "
                + clone.toRealPath().resolve("app/target/onlyonce-build.log")
                + " says why: no compiler here");
    writeMaven("cp ../program.jar app/target/onlyonce.jar");
    assertThat(shell.run("'a clone/onlyonce'").code()).isZero();
  }

  @Test
  void a_link_to_the_launcher_works_from_anywhere() throws IOException {
    Files.createSymbolicLink(bin.resolve("once"), clone.resolve("onlyonce"));

    assertThat(shell.run("cd / && once x").out()).isEqualTo("[x] \n");
  }

  @Test
  void without_maven_the_message_says_what_to_install() throws IOException {
    Files.delete(bin.resolve("mvn"));

    Shell.Result result = shell.set("PATH", onlyTools().toString()).run("'a clone/onlyonce'");

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err())
        .isEqualTo(
            "onlyonce: Maven (mvn) is needed to build the program and was not found;"
                + " install Maven 3.8.7 or newer\n");
  }

  @Test
  void without_java_the_message_says_what_to_install() throws IOException {
    Shell.Result result =
        shell.set("PATH", onlyTools().toString()).set("JAVA_HOME", "").run("'a clone/onlyonce'");

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err())
        .isEqualTo("onlyonce: Java was not found; install a JDK, version 17 or newer\n");
  }

  @Test
  void an_old_java_is_told() throws IOException {
    Path home = Files.createDirectories(folder.resolve("jdk/bin")).getParent();
    executable(home.resolve("bin/java"), "echo 'openjdk version \"1.8.0_402\"' >&2");

    Shell.Result asked = shell.set("JAVA_HOME", home.toString()).run("'a clone/onlyonce'");
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"11.0.22\"\n");
    Shell.Result looked = shell.run("'a clone/onlyonce'");

    assertThat(asked.err())
        .isEqualTo("onlyonce: Java 17 or newer is needed; " + home + "/bin/java is version 8\n");
    assertThat(looked.err())
        .isEqualTo("onlyonce: Java 17 or newer is needed; " + home + "/bin/java is version 11\n");
  }

  @Test
  void options_for_java_can_be_added() {
    Shell.Result result =
        shell.set("ONLYONCE_JAVA_OPTS", "-Dx=1 -showversion").run("'a clone/onlyonce'");

    assertThat(result.code()).isZero();
    assertThat(result.err()).contains("Runtime Environment");
  }

  private int builds() {
    Path calls = folder.resolve("maven.calls");
    try {
      return Files.exists(calls) ? Files.readAllLines(calls).size() : 0;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void setBuilt(Instant time) throws IOException {
    Files.setLastModifiedTime(clone.resolve("app/target/onlyonce.built"), FileTime.from(time));
  }

  private void setAllSources(Instant time) throws IOException {
    try (var paths = Files.walk(clone)) {
      for (Path path : paths.filter(p -> !p.toString().contains("target")).toList()) {
        Files.setLastModifiedTime(path, FileTime.from(time));
      }
    }
  }

  /** A folder with the tools that the launcher uses, but neither Java nor Maven. */
  private Path onlyTools() throws IOException {
    Path tools = Files.createDirectory(folder.resolve("tools"));
    for (String tool : TOOLS.split(" ", -1)) {
      String path = shell.run("command -v " + tool).out().strip();
      executable(tools.resolve(tool), "exec " + path + " \"$@\"");
    }
    return tools;
  }

  private void writeMaven(String rest) throws IOException {
    executable(
        bin.resolve("mvn"),
        "cd '" + clone + "' && echo \"$@\" >> ../maven.calls && { " + rest + "; }");
  }

  private static void executable(Path path, String script) throws IOException {
    Files.writeString(path, "#!/bin/bash\n" + script + "\n");
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static void writeProgram(Path jar) throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.put(Attributes.Name.MAIN_CLASS, EchoProgram.class.getName());
    String name = EchoProgram.class.getName().replace('.', '/') + ".class";
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest);
        InputStream program = EchoProgram.class.getClassLoader().getResourceAsStream(name)) {
      out.putNextEntry(new ZipEntry(name));
      program.transferTo(out);
      out.closeEntry();
    }
  }
}
