/**
 * {@link dev.onlyonce.store.jdbc.JdbcStore}: claims in a relational database, beside the business
 * tables or apart from them. PostgreSQL, MariaDB, MySQL and H2.
 */
@NullMarked
package dev.onlyonce.store.jdbc;

import org.jspecify.annotations.NullMarked;
