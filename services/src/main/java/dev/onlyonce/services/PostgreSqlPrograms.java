package dev.onlyonce.services;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * Finds the folder with {@code initdb} and {@code postgres}: of the archive that Maven brings, else
 * of this machine.
 *
 * <p>The archive is unpacked once, into the cache folder of the user (root's own folder cannot be
 * read by the user that the server runs as; then it is the system's). Its digest is in the name of
 * the folder, which appears when it is complete.
 */
final class PostgreSqlPrograms {
  private static final String ARCHIVE = "/postgres-linux-x86_64.txz";
  private static final Path DEBIAN = Path.of("/usr/lib/postgresql");

  private PostgreSqlPrograms() {}

  static synchronized Path folder() {
    boolean fits =
        System.getProperty("os.name").equals("Linux")
            && System.getProperty("os.arch").equals("amd64");
    if (fits && PostgreSqlPrograms.class.getResource(ARCHIVE) != null) {
      return unpacked(cache()).resolve("bin");
    }
    return installed(Programs.installed(), DEBIAN);
  }

  /** The folder of the installed programs, which Debian keeps out of the PATH. */
  static Path installed(Programs programs, Path debian) {
    return programs
        .find("postgres")
        .map(PostgreSqlPrograms::folderOf)
        .or(() -> newestOf(debian))
        .filter(it -> Files.isExecutable(it.resolve("initdb")))
        .orElseThrow(() -> programs.missing("PostgreSQL's postgres with initdb", "postgresql"));
  }

  private static Path folderOf(Path program) {
    try {
      return program.toRealPath().resolveSibling(".").normalize();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Optional<Path> newestOf(Path debian) {
    if (!Files.isDirectory(debian)) {
      return Optional.empty();
    }
    try (Stream<Path> versions = Files.list(debian)) {
      return versions
          .filter(it -> it.getFileName().toString().matches("\\d+"))
          .max(Comparator.comparingInt(it -> Integer.parseInt(it.getFileName().toString())))
          .map(it -> it.resolve("bin"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path cache() {
    if (RunAs.root()) {
      return Path.of("/var/cache/onlyonce");
    }
    @Nullable String cache = System.getenv("XDG_CACHE_HOME");
    return cache == null || cache.isBlank()
        ? Path.of(System.getProperty("user.home"), ".cache", "onlyonce")
        : Path.of(cache, "onlyonce");
  }

  /** Unpacks the archive into a folder of the cache, if that has not been done before. */
  static Path unpacked(Path cache) {
    try {
      Path folder = cache.resolve("postgresql-" + digest());
      if (Files.isDirectory(folder)) {
        return folder;
      }
      Files.createDirectories(cache);
      Path unfinished = Files.createTempDirectory(cache, "unfinished-");
      try {
        unpack(unfinished);
        Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
      } catch (FileSystemException e) {
        if (!Files.isDirectory(folder)) {
          throw e;
        } // another JVM was quicker
      } finally {
        Home.deleteTree(unfinished);
      }
      return folder;
    } catch (IOException e) {
      throw new ServerException("the archive of PostgreSQL cannot be unpacked into " + cache, e);
    }
  }

  private static void unpack(Path folder) throws IOException {
    List<String> command = List.of("tar", "-x", "--no-same-owner", "-C", folder.toString());
    Process tar =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (InputStream archive = new XZInputStream(open());
        OutputStream files = tar.getOutputStream()) {
      archive.transferTo(files);
    }
    Signals.await(tar);
    if (tar.exitValue() != 0) {
      throw new IOException(command + " ended with " + tar.exitValue());
    }
  }

  private static String digest() throws IOException {
    try (DigestInputStream archive =
        new DigestInputStream(open(), MessageDigest.getInstance("SHA-256"))) {
      archive.transferTo(OutputStream.nullOutputStream());
      return HexFormat.of().formatHex(archive.getMessageDigest().digest(), 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static InputStream open() throws IOException {
    @Nullable InputStream archive = PostgreSqlPrograms.class.getResourceAsStream(ARCHIVE);
    if (archive == null) {
      throw new IOException(ARCHIVE + " is not on the class path");
    }
    return archive;
  }
}
