package dev.onlyonce.store.jdbc.internal;

import dev.onlyonce.Scope;
import dev.onlyonce.spi.PositionStore;
import dev.onlyonce.spi.RecordId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.List;

/**
 * The statements of one kind of database. Each method is one or two statements on the connection
 * that it is given, and may be done again from the start; items are of different keys and in {@link
 * Item#LOCK_ORDER}.
 */
interface Dialect {

  /** Claims what may be claimed; tells what was there for the rest. */
  List<Look> claim(Connection connection, List<Item.Claim> items, long stamp) throws SQLException;

  /**
   * Claims inside the caller's transaction, without waiting for other transactions: what one of
   * them has is busy. The transaction goes on.
   */
  List<Look> claimInside(Connection connection, List<Item.Claim> items, long stamp)
      throws SQLException;

  /**
   * Settles what is held.
   *
   * @param isInside whether the connection is in a transaction of the caller's
   * @return the items that are known to be settled; of the others the row tells by its stamp
   */
  BitSet settle(Connection connection, List<Item.Settle> items, long stamp, boolean isInside)
      throws SQLException;

  /** Settles what is held and not locked by others, without waiting; returns as {@link #settle}. */
  BitSet settleFree(Connection connection, List<Item.Settle> items, long stamp) throws SQLException;

  /** Renews what is held; returns as {@link #settle} does. */
  BitSet renew(Connection connection, List<Item.Renew> items, long stamp) throws SQLException;

  /** Renews what is held and not locked by others, without waiting; returns as {@link #settle}. */
  BitSet renewFree(Connection connection, List<Item.Renew> items, long stamp) throws SQLException;

  /** Writes records where none or one with a smaller token is; returns as {@link #settle} does. */
  BitSet put(Connection connection, List<Item.Put> items, long stamp) throws SQLException;

  /** Looks at keys, in order. */
  List<Look> find(Connection connection, List<RecordId> ids) throws SQLException;

  /** Saves a position unless a larger one is there. */
  void savePosition(
      Connection connection, Scope consumer, byte[] source, PositionStore.Position position)
      throws SQLException;

  /**
   * Forgets some records that expired that long ago, and raises the floor.
   *
   * @return how many
   */
  int purge(Connection connection, int limit, long graceMillis) throws SQLException;

  /**
   * Writes an event for each item whose row has this stamp, unless there is one of the same token
   * and state.
   */
  void record(Connection connection, List<? extends Item> items, long stamp) throws SQLException;

  /** Forgets some events that are older than that; returns how many. */
  int purgeEvents(Connection connection, int limit, long keptMillis) throws SQLException;

  /**
   * Whether a transaction goes on when a statement of it has found a row locked and did not wait.
   */
  boolean survivesLocks();

  /** About how many bytes of items a statement may bring, see {@link Item#weight}. */
  default int mostBytes() {
    return Integer.MAX_VALUE;
  }

  /** Tells what kind of fault this is. */
  Fault fault(SQLException e);

  /** Sets a parameter that is compared with, or becomes, the scope of a row. */
  void setScope(Params params, Scope scope) throws SQLException;

  /** The end of a query that returns so many rows at most. */
  default String atMost() {
    return " limit ?";
  }

  /** An expression for milliseconds since 1970 by the database's clock. */
  String nowMillis();
}
