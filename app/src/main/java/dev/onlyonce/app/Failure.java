package dev.onlyonce.app;

import dev.onlyonce.spi.StoreException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The run cannot go on, for a reason that the user can act on. The message is one sentence with the
 * place and, where there is one, the remedy; it is all that the user sees.
 */
public final class Failure extends RuntimeException {
  private final ExitCode exitCode;
  private final String sentence;

  private Failure(ExitCode exitCode, String sentence, @Nullable Throwable cause) {
    super(sentence, cause);
    this.exitCode = exitCode;
    this.sentence = sentence;
  }

  /** The command line asks for something that cannot be done. */
  public static Failure usage(String sentence) {
    return new Failure(ExitCode.USAGE, sentence, null);
  }

  /** What was read is not what it should be. */
  public static Failure badInput(String sentence) {
    return new Failure(ExitCode.BAD_INPUT, sentence, null);
  }

  /** What was read is not what it should be, as a library noticed. */
  public static Failure badInput(String sentence, Throwable cause) {
    return new Failure(ExitCode.BAD_INPUT, sentence, cause);
  }

  /** A file or stream could not be opened, read or written: the sentence ends with the reason. */
  public static Failure io(String sentence, IOException cause) {
    return new Failure(ExitCode.IO_FAILURE, sentence + ": " + reason(cause), cause);
  }

  /** The files are not as they should be, and so they are left alone. */
  public static Failure files(String sentence) {
    return new Failure(ExitCode.IO_FAILURE, sentence, null);
  }

  /**
   * The keys do not fit into the memory that Java may use.
   *
   * @param keys how many do
   * @param otherwise what to do where there is no more memory
   */
  public static Failure tooManyKeys(long keys, String otherwise) {
    return new Failure(
        ExitCode.IO_FAILURE,
        String.format(
            Locale.ROOT,
            "there are more than %,d different keys, which is what the memory holds that Java may"
                + " use; give it more, as in ONLYONCE_JAVA_OPTS=-Xmx8g (java -jar:"
                + " JAVA_TOOL_OPTIONS), or %s",
            keys,
            otherwise),
        null);
  }

  /** A store could not do what it was asked. */
  public static Failure store(StoreException cause) {
    return new Failure(ExitCode.IO_FAILURE, String.valueOf(cause.getMessage()), cause);
  }

  /** Returns the same, said of a file that names what has failed instead of the command line. */
  public Failure in(String file) {
    ExitCode code = exitCode == ExitCode.USAGE ? ExitCode.BAD_INPUT : exitCode;
    return new Failure(code, file + ": " + sentence, this);
  }

  /** The sentence for the user. */
  public String sentence() {
    return sentence;
  }

  /** How the process ends. */
  public ExitCode exitCode() {
    return exitCode;
  }

  private static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "no such file or folder";
    }
    if (e instanceof FileAlreadyExistsException) {
      return "there is a file of that name";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof FileSystemException f && f.getReason() != null) {
      return f.getReason();
    }
    return e.getMessage() != null ? e.getMessage() : e.getClass().getSimpleName();
  }
}
