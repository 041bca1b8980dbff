package dev.onlyonce.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The allowed ways of a status column of one's own table: an update that names where it may come
 * from, so that a late or repeated message changes nothing.
 *
 * <p><b>Guarantee.</b> Of transactions that try the same transition at once, one has it applied.
 * The row stays locked until the transaction ends; of one that is not there nothing is locked.
 * Statuses are told apart exactly, also where the column's collation does not.
 *
 * <p><b>Thread-safety.</b> Immutable; a connection belongs to one thread at a time.
 *
 * <p><b>Failure.</b> What the driver throws, and an {@link SQLException} where the column of the id
 * takes two for one: the caller rolls back.
 */
public final class Transitions {

  /** What became of a transition. The list is complete. */
  public sealed interface Answer {
    /** The row had an allowed status and has the new one now. */
    record Applied() implements Answer {}

    /** The row has the new status already: the message is a duplicate. */
    record AlreadyThere() implements Answer {}

    /** The row is further on than the new status: the message is late. */
    record Stale(String status) implements Answer {}

    /** No allowed way leads from the row's status to the new one. */
    record Illegal(String status) implements Answer {}

    /** There is no such row; at REPEATABLE READ, none that the transaction sees. */
    record NoRow() implements Answer {}
  }

  private final OwnTable table;
  private final String update;
  private final String look;
  private final Map<String, Set<String>> to;

  private Transitions(OwnTable table, String status, Map<String, Set<String>> to) {
    this.table = table;
    this.to = to;
    String found = " WHERE " + table.key() + " = ?";
    this.update =
        "UPDATE " + table.name() + " SET " + status + " = ?" + found + " AND " + status + " = ?";
    this.look = "SELECT " + status + ", " + table.key() + " FROM " + table.name() + found;
  }

  /**
   * Starts to name the transitions of a table.
   *
   * @param table its name, possibly with its schema
   * @param id the column that a row is found by; it must be unique
   * @param status the column of text that has the status
   * @throws IllegalArgumentException if one of them is not a plain name
   */
  public static Builder of(String table, String id, String status) {
    return new Builder(new OwnTable(table, id), OwnTable.plain(status));
  }

  /**
   * Brings the row to a status, if that is allowed from the one it has.
   *
   * @throws IllegalArgumentException if no transition leads to that status
   * @throws SQLException if the database refuses
   */
  public Answer apply(Connection transaction, Object id, String status) throws SQLException {
    if (!isTarget(status)) {
      throw new IllegalArgumentException("no transition leads to status '" + status + "'");
    }
    // The first look takes no lock: one of a row that is not there would lock a gap.
    boolean isThere = OwnTable.isPostgreSql(transaction) || find(transaction, id, look) != null;
    String found = isThere ? find(transaction, id, look + " FOR UPDATE") : null;
    if (found == null) {
      return new Answer.NoRow();
    }
    if (found.equals(status)) {
      return new Answer.AlreadyThere();
    }
    if (!to.getOrDefault(found, Set.of()).contains(status)) {
      return leads(status, found) ? new Answer.Stale(found) : new Answer.Illegal(found);
    }
    try (PreparedStatement change = transaction.prepareStatement(update)) {
      change.setString(1, status);
      change.setObject(2, id);
      change.setString(3, found);
      if (change.executeUpdate() != 1) {
        throw new SQLException(
            "the row " + id + " was locked and yet changed its status, roll back", "40001");
      }
      return new Answer.Applied();
    }
  }

  private @Nullable String find(Connection transaction, Object id, String question)
      throws SQLException {
    try (PreparedStatement select = transaction.prepareStatement(question)) {
      select.setObject(1, id);
      try (ResultSet rows = select.executeQuery()) {
        if (!rows.next()) {
          return null;
        }
        table.requireSame(rows, 2, id);
        return String.valueOf(rows.getString(1));
      }
    }
  }

  private boolean isTarget(String status) {
    return to.values().stream().anyMatch(it -> it.contains(status));
  }

  /** Tells whether some allowed way leads from one status to another. */
  private boolean leads(String from, String target) {
    Set<String> seen = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(Set.of(from));
    while (!open.isEmpty()) {
      for (String next : to.getOrDefault(open.remove(), Set.of())) {
        if (next.equals(target)) {
          return true;
        }
        if (seen.add(next)) {
          open.add(next);
        }
      }
    }
    return false;
  }

  /** The transitions that are allowed: none unless named. */
  public static final class Builder {
    private final OwnTable table;
    private final String status;
    private final Map<String, Set<String>> to = new LinkedHashMap<>();

    private Builder(OwnTable table, String status) {
      this.table = table;
      this.status = status;
    }

    /**
     * Allows these transitions.
     *
     * @throws IllegalArgumentException if one leads to where it comes from
     */
    public Builder allow(String from, String... targets) {
      for (String target : targets) {
        if (target.equals(from)) {
          throw new IllegalArgumentException(
              "a transition must lead elsewhere, '" + from + "' to itself does not");
        }
        to.computeIfAbsent(from, it -> new LinkedHashSet<>()).add(target);
      }
      return this;
    }

    /** Makes it. */
    public Transitions build() {
      Map<String, Set<String>> copy = new LinkedHashMap<>();
      to.forEach((from, targets) -> copy.put(from, Set.copyOf(targets)));
      return new Transitions(table, status, copy);
    }
  }
}
