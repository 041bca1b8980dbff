package dev.onlyonce.store.jdbc.internal;

/** What a fault of the database means for the statement that met it. */
enum Fault {
  /** Nothing was done, and the same statement may go through now: a deadlock or a conflict. */
  CONFLICT,
  /** Another transaction has locked a row for longer than is waited for; nothing was done. */
  LOCKED,
  /** The connection is gone; whether the statement took effect is not known. */
  CONNECTION_LOST,
  /** There is no room; nothing was done. */
  FULL,
  /** The statement is larger than the server takes; nothing was done. */
  TOO_LARGE,
  /** The database will not do it, however often it is asked. */
  REJECTED,
  /** Anything else. */
  UNAVAILABLE
}
