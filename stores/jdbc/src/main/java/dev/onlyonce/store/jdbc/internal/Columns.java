package dev.onlyonce.store.jdbc.internal;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a statement brings of its items, as a table. A value that all of them share comes once,
 * which spares client and server most of what a batch is made of.
 *
 * @param <I> items
 */
final class Columns<I> {

  private enum Type {
    TEXT,
    BYTES,
    NUMBER
  }

  private record Column<I>(String name, Type type, Function<I, @Nullable Object> value) {}

  private final List<Column<I>> columns = new ArrayList<>();

  /** A table whose first column is different for all items. */
  Columns(String name, Function<I, byte[]> key) {
    columns.add(new Column<>(name, Type.BYTES, key::apply));
  }

  Columns<I> text(String name, Function<I, String> value) {
    columns.add(new Column<>(name, Type.TEXT, value::apply));
    return this;
  }

  Columns<I> bytes(String name, Function<I, byte @Nullable []> value) {
    columns.add(new Column<>(name, Type.BYTES, value::apply));
    return this;
  }

  Columns<I> number(String name, Function<I, @Nullable Long> value) {
    columns.add(new Column<>(name, Type.NUMBER, value::apply));
    return this;
  }

  /**
   * The query for the table on PostgreSQL: arrays that unnest, empty where a value is shared, and
   * the shared values. {@code ord} counts the items from 1.
   */
  String unnested() {
    return "select "
        + each(1, columns.size(), it -> "coalesce(a.%1$s, b.%1$s) as %1$s".formatted(it.name))
        + ", a.%s, a.ord from unnest(".formatted(columns.get(0).name)
        + each(0, columns.size(), it -> "?::" + typeName(it) + "[]")
        + ") with ordinality as a("
        + each(0, columns.size(), Column::name)
        + ", ord) cross join (select "
        + each(1, columns.size(), it -> "?::" + typeName(it) + " as " + it.name)
        + ") b";
  }

  private String each(int from, int to, Function<Column<I>, String> part) {
    return columns.subList(from, to).stream().map(part).collect(Collectors.joining(", "));
  }

  private static String typeName(Column<?> column) {
    return switch (column.type) {
      case TEXT -> "text";
      case BYTES -> "bytea";
      case NUMBER -> "int8";
    };
  }

  Filled<I> of(List<? extends I> items) {
    return new Filled<>(columns, items);
  }

  /** The table of some items. */
  static final class Filled<I> {
    private final List<Column<I>> columns;
    private final List<? extends I> items;
    private final @Nullable Object[][] values;
    private final BitSet shared = new BitSet();

    private Filled(List<Column<I>> columns, List<? extends I> items) {
      this.columns = columns;
      this.items = items;
      this.values = new Object[columns.size()][];
      for (int i = 0; i < values.length; i++) {
        values[i] = valuesOf(columns.get(i), items);
        shared.set(i, i > 0 && areEqual(values[i]));
      }
    }

    I item(int index) {
      return items.get(index);
    }

    int size() {
      return items.size();
    }

    /** The array is of the type of its values: else PostgreSQL's driver sends it as one text. */
    private static <I> @Nullable Object[] valuesOf(Column<I> column, List<? extends I> items) {
      @Nullable Object[] values = arrayOf(column, items.size());
      for (int i = 0; i < values.length; i++) {
        values[i] = column.value.apply(items.get(i));
      }
      return values;
    }

    private static @Nullable Object[] arrayOf(Column<?> column, int size) {
      return switch (column.type) {
        case TEXT -> new String[size];
        case BYTES -> new byte[size][];
        case NUMBER -> new Long[size];
      };
    }

    private static boolean areEqual(@Nullable Object[] values) {
      for (Object value : values) {
        if (!Objects.deepEquals(value, values[0])) {
          return false;
        }
      }
      return true;
    }

    /** Sets the parameters of {@link Columns#unnested}. */
    Params setUnnested(Params params) throws SQLException {
      for (int i = 0; i < values.length; i++) {
        Column<I> column = columns.get(i);
        params.array(typeName(column), shared.get(i) ? arrayOf(column, 0) : values[i]);
      }
      for (int i = 1; i < values.length; i++) {
        set(params, i, shared.get(i) ? values[i][0] : null);
      }
      return params;
    }

    private void set(Params params, int column, @Nullable Object value) throws SQLException {
      switch (columns.get(column).type) {
        case TEXT -> params.text((String) value);
        case BYTES -> params.bytes((byte[]) value);
        case NUMBER -> params.numberOrNull((Long) value);
      }
    }

    /**
     * The query for the table where there are no arrays.
     *
     * @param hasValues whether the database knows a list of values as a table, as MariaDB does
     */
    String rows(boolean hasValues) {
      int width = values.length - shared.cardinality();
      String row = "?" + ", ?".repeat(width - 1);
      int more = size() - 1;
      String rows =
          hasValues
              ? "with v(%s) as (values (%s)%s) select * from v"
                  .formatted(own(Column::name), row, (", (" + row + ")").repeat(more))
              : "select "
                  + own(it -> "? as " + it.name)
                  + (" union all select " + row).repeat(more);
      return "select "
          + named(shared.stream(), it -> "? as " + it.name + ", ")
          + "v.* from ("
          + rows
          + ") v";
    }

    private String own(Function<Column<I>, String> part) {
      String all =
          named(
              IntStream.range(0, values.length).filter(it -> !shared.get(it)),
              part.andThen(it -> it + ", "));
      return all.substring(0, all.length() - 2);
    }

    private String named(IntStream some, Function<Column<I>, String> part) {
      return some.mapToObj(columns::get).map(part).collect(Collectors.joining());
    }

    /** Sets the parameters of {@link #rows}. */
    Params setRows(Params params) throws SQLException {
      for (int i = shared.nextSetBit(0); i >= 0; i = shared.nextSetBit(i + 1)) {
        set(params, i, values[i][0]);
      }
      for (int item = 0; item < size(); item++) {
        for (int i = shared.nextClearBit(0); i < values.length; i = shared.nextClearBit(i + 1)) {
          set(params, i, values[i][item]);
        }
      }
      return params;
    }
  }
}
