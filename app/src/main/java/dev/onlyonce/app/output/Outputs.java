package dev.onlyonce.app.output;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.input.Input;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that one run writes to. Opening comes first and changes nothing; an output that is the same
 * file as an input or as another output is refused, whatever links or redirections lead there. Only
 * {@link #begin} empties the files. Closing before that leaves everything as it was.
 *
 * <p>Not thread-safe.
 */
public final class Outputs implements AutoCloseable {
  private static final Path DASH = Path.of("-");

  private final Map<Object, String> inputs = new HashMap<>();
  private final Map<Object, String> outputs = new HashMap<>();
  private final List<RecordWriter> writers = new ArrayList<>();
  private final List<FileChannel> toEmpty = new ArrayList<>();
  private final List<Path> created = new ArrayList<>();
  private final List<ContinuedFile> continued = new ArrayList<>();
  private final @Nullable Marks marks;
  private @Nullable FileChannel redirected;
  private boolean begun;

  /** What is known of files that were written before. */
  public interface Marks {
    /** Returns what is known of the file of this path; null if it is not known. */
    @Nullable FileMark of(String path);

    /** Tells whether the last run that wrote did not come to its end. */
    boolean isInterrupted();

    /** Tells whether files are written on wherever they end, as nothing is known of them. */
    default boolean areAppended() {
      return false;
    }
  }

  /** For a run that reads these inputs; files that are there are replaced. */
  public Outputs(List<Input> inputs) {
    this(inputs, null);
  }

  /**
   * For a run that reads these inputs.
   *
   * @param marks regular files are written on where these say, and are checked for that when they
   *     are opened; null to replace them
   */
  public Outputs(List<Input> inputs, @Nullable Marks marks) {
    this.marks = marks;
    for (Input input : inputs) {
      Path path = input.path() == null ? FileIdentity.STANDARD_INPUT : input.path();
      FileIdentity.of(path)
          .filter(FileIdentity::isRegularFile)
          .ifPresent(identity -> this.inputs.put(identity.key(), input.name()));
    }
  }

  /** Returns the files that are written on. */
  public List<ContinuedFile> continued() {
    return List.copyOf(continued);
  }

  /** Tells whether all outputs are files that the next run can cut back. */
  public boolean canBeCutBack() {
    return continued.size() == writers.size();
  }

  /** True if standard output goes to another program, which may have gone away. */
  public static boolean standardOutputIsPipe() {
    return FileIdentity.of(FileIdentity.STANDARD_OUTPUT).filter(FileIdentity::isPipe).isPresent();
  }

  /**
   * The program's standard output.
   *
   * @throws Failure if it was redirected to a file that is an input or another output
   */
  public RecordWriter standardOutput() {
    return standardOutput("standard output");
  }

  private RecordWriter standardOutput(String name) {
    boolean pipe = admit(name, FileIdentity.STANDARD_OUTPUT);
    FileChannel channel = new FileOutputStream(FileDescriptor.out).getChannel();
    if (FileIdentity.of(FileIdentity.STANDARD_OUTPUT)
        .filter(FileIdentity::isRegularFile)
        .isPresent()) {
      redirected = channel;
    }
    return add(new RecordWriter("to standard output", channel, pipe, false));
  }

  /**
   * A file, created if it does not exist; {@code -} is standard output.
   *
   * @param option what the command line calls it, for messages
   * @throws Failure if it cannot be opened, or is an input or another output
   */
  public RecordWriter file(String option, Path path) {
    String name = option + " " + path;
    if (path.equals(DASH)) {
      return standardOutput(name);
    }
    FileMark mark = marks == null ? null : marks.of(ContinuedFile.key(path));
    ContinuedFile.requireThere(name, mark, path);
    FileChannel channel = open(path, name);
    try {
      RecordWriter writer = new RecordWriter(name, channel, admit(name, path), true);
      boolean isRegular = Files.isRegularFile(path);
      if (isRegular) {
        takeAlone(name, channel);
      }
      if (marks != null && (mark != null || isRegular)) {
        ContinuedFile file =
            marks.areAppended()
                ? ContinuedFile.atEnd(name, path, channel)
                : ContinuedFile.of(name, path, channel, mark, marks.isInterrupted());
        continued.add(file);
        return add(writer.after(file));
      }
      if (isRegular) {
        toEmpty.add(channel);
      }
      return add(writer);
    } catch (IOException e) {
      close(channel);
      throw Failure.io("cannot read " + name, e);
    } catch (Failure e) {
      close(channel);
      throw e;
    }
  }

  /**
   * A file beside the main output, as {@link #file} has it. If it is a pipe whose reader goes away,
   * it is written no longer, and the run goes on: the main output must not end early for it.
   */
  public RecordWriter sideFile(String option, Path path) {
    return file(option, path).asOptional();
  }

  /** Empties the files, or cuts them back to their marks: from here on they are written. */
  public void begin() {
    begun = true;
    try {
      for (FileChannel channel : toEmpty) {
        channel.truncate(0);
      }
      for (ContinuedFile file : continued) {
        file.cutBack();
      }
    } catch (IOException e) {
      throw Failure.io("cannot empty an output file", e);
    }
  }

  /** Flushes all outputs. */
  public void flush() {
    writers.forEach(RecordWriter::flush);
  }

  /** Tells whether an output could not be written: what of it arrived is not known. */
  public boolean hasFailed() {
    return writers.stream().anyMatch(RecordWriter::hasFailed);
  }

  /** Makes sure that what was flushed to files is on the disk. */
  public void sync() {
    continued.forEach(ContinuedFile::sync);
    if (redirected != null) {
      try {
        redirected.force(true);
      } catch (IOException e) {
        throw Failure.io("cannot write to standard output", e);
      }
    }
  }

  /** Closes all outputs, also if closing one fails; then throws what failed first. */
  @Override
  public void close() {
    RuntimeException first = null;
    for (RecordWriter writer : writers) {
      try {
        writer.close();
      } catch (RuntimeException e) {
        first = keepFirst(first, e);
      }
    }
    writers.clear();
    if (!begun) {
      created.forEach(Outputs::deleteQuietly);
    }
    if (first != null) {
      throw first;
    }
  }

  private RecordWriter add(RecordWriter writer) {
    writers.add(writer);
    return writer;
  }

  private FileChannel open(Path path, String name) {
    try {
      boolean existed = Files.exists(path);
      FileChannel channel = FileChannel.open(path, options(path));
      if (!existed) {
        created.add(path.toRealPath());
      }
      return channel;
    } catch (IOException e) {
      throw Failure.io("cannot write " + name, e);
    }
  }

  /**
   * Keeps other runs from writing the file until it is closed. Other programs do not ask, and some
   * file systems have no locks.
   */
  private static void takeAlone(String name, FileChannel channel) {
    boolean isTaken;
    try {
      isTaken = channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      isTaken = false;
    } catch (IOException e) {
      return;
    }
    if (!isTaken) {
      throw Failure.files(
          name
              + " is being written by another run of onlyonce; wait for its end, or name another file");
    }
  }

  private Set<StandardOpenOption> options(Path path) {
    boolean reads = marks != null && (!Files.exists(path) || Files.isRegularFile(path));
    return reads
        ? Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ)
        : Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  /** Refuses an output that is something else, too; says whether it is a pipe. */
  private boolean admit(String name, Path path) {
    FileIdentity identity = FileIdentity.of(path).orElse(null);
    if (identity == null) {
      return false;
    }
    String input = inputs.get(identity.key());
    if (input != null) {
      throw Failure.usage(
          name
              + " is the same file as the input ("
              + input
              + "), which would be destroyed; write to another file");
    }
    String other = outputs.putIfAbsent(identity.key(), name);
    if (other != null) {
      throw Failure.usage(name + " is the same file as " + other + "; write to another file");
    }
    return identity.isPipe();
  }

  private static RuntimeException keepFirst(
      @Nullable RuntimeException first, RuntimeException next) {
    if (first == null) {
      return next;
    }
    first.addSuppressed(next);
    return first;
  }

  private static void close(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // Nothing was written.
    }
  }

  private static void deleteQuietly(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      // An empty file stays behind.
    }
  }
}
