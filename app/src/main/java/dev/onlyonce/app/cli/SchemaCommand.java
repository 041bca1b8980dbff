package dev.onlyonce.app.cli;

import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.store.StoreAddress;
import dev.onlyonce.store.jdbc.JdbcSchema;
import dev.onlyonce.store.jdbc.SqlDialect;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code onlyonce schema}: the tables of a store in a database. */
@Command(
    name = "schema",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Prints the statements that make the tables of a store in a database. What was run before does"
          + " no harm when it is run again.%n",
      "With --from it prints instead what brings tables of that version to this one. That is run once,"
          + " before this version of the program or the library uses them.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:fine",
      "2:the command line cannot be carried out",
      StoreOption.BAD_FILE,
      "4:the file of a tiered store could not be read"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  onlyonce schema --dialect postgresql | psql shop",
      "  onlyonce schema --dialect mariadb | mariadb shop",
      "  onlyonce schema --dialect postgresql --from 1 | psql shop"
    })
final class SchemaCommand implements Callable<Integer> {

  @Option(
      names = "--dialect",
      paramLabel = "NAME",
      description = "postgresql, mariadb, mysql or h2.")
  private @Nullable SqlDialect dialect;

  @Option(
      names = "--store",
      paramLabel = "ADDRESS",
      description =
          "A JDBC URL, or tiered:FILE.yaml; says the dialect, and nothing is connected to.")
  private @Nullable String address;

  @Option(
      names = "--prefix",
      paramLabel = "NAME",
      description = "What the names of the tables begin with; onlyonce_ unless said otherwise.")
  private @Nullable String prefix;

  @Option(
      names = "--from",
      paramLabel = "VERSION",
      description = "Bring tables of this version to the newest; the error of a store says theirs.")
  private @Nullable Integer from;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec command;

  @Override
  public Integer call() {
    if ((dialect == null) == (address == null)) {
      throw Failure.usage("say which database: --dialect NAME or --store ADDRESS");
    }
    SqlDialect wanted = dialect == null ? StoreAddress.dialect(String.valueOf(address)) : dialect;
    try {
      String script =
          script(wanted, address == null ? prefix : StoreAddress.tablePrefix(address, prefix));
      command.commandLine().getOut().print(script.endsWith("\n") ? script : script + "\n");
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--prefix: " + e.getMessage());
    }
    command.commandLine().getOut().flush();
    return ExitCode.FINE.number();
  }

  private String script(SqlDialect wanted, @Nullable String tables) {
    if (from == null) {
      return tables == null ? JdbcSchema.script(wanted) : JdbcSchema.script(wanted, tables);
    }
    if (from != JdbcSchema.VERSION - 1) {
      throw Failure.usage(
          "--from must be %d, since tables are brought from there to version %d, was %d"
              .formatted(JdbcSchema.VERSION - 1, JdbcSchema.VERSION, from));
    }
    return tables == null ? JdbcSchema.upgrade(wanted) : JdbcSchema.upgrade(wanted, tables);
  }
}
