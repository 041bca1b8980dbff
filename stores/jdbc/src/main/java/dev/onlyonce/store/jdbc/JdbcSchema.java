package dev.onlyonce.store.jdbc;

import dev.onlyonce.spi.StoreException;
import dev.onlyonce.store.jdbc.internal.Schema;
import dev.onlyonce.store.jdbc.internal.Tables;
import java.util.List;
import javax.sql.DataSource;

/**
 * The tables of a {@link JdbcStore}, as statements to print or to run.
 *
 * <p>What was run before does no harm when it is run again. Safe for use by several threads.
 */
public final class JdbcSchema {

  /** The version of the schema that this version of the library makes and needs. */
  public static final int VERSION = Schema.VERSION;

  private JdbcSchema() {}

  /** Returns the script that makes the tables, with the default prefix. */
  public static String script(SqlDialect dialect) {
    return script(dialect, Tables.DEFAULT);
  }

  /**
   * Returns the script that makes the tables.
   *
   * @param prefix what the tables' names begin with
   * @throws IllegalArgumentException if the prefix is not a plain name in small letters
   */
  public static String script(SqlDialect dialect, String prefix) {
    return Schema.script(dialect, new Tables(prefix));
  }

  /** Returns the script that brings tables of version 1 to this one, with the default prefix. */
  public static String upgrade(SqlDialect dialect) {
    return upgrade(dialect, Tables.DEFAULT);
  }

  /**
   * Returns the script that brings tables of version 1 to this version. It is run once, before this
   * version of the library is used.
   *
   * @param prefix what the tables' names begin with
   * @throws IllegalArgumentException if the prefix is not a plain name in small letters
   */
  public static String upgrade(SqlDialect dialect, String prefix) {
    return Schema.upgrade(dialect, new Tables(prefix));
  }

  /** Returns the statements of the script, one by one. */
  public static List<String> statements(SqlDialect dialect, String prefix) {
    return Schema.statements(script(dialect, prefix));
  }

  /**
   * Makes the tables if they are not there, or brings those of an older version to this one, with
   * the default prefix, in whatever database the source leads to.
   *
   * @throws StoreException if the database refuses
   */
  public static void create(DataSource source) {
    JdbcStore.on(source).createTables().open().close();
  }
}
