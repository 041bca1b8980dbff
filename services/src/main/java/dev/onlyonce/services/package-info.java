/**
 * Real servers for tests and benchmarks: {@link dev.onlyonce.services.Servers} hands them to JUnit
 * tests, {@code PostgreSqlServer.start()} and its like start one by hand.
 *
 * <pre>{@code
 * @ExtendWith(Servers.class)
 * class PostgreSqlStoreTest {
 *   @Test
 *   void keeps_claims(Database<PostgreSqlServer> database) {
 *     open(database.url()); // an empty database, of this class alone
 *   }
 *
 *   @Test
 *   void takes_messages(@Shared KafkaBroker broker) { // a server of the whole run
 *     consume(broker.url(), "PostgreSqlStoreTest.orders");
 *   }
 *
 *   @Test
 *   void survives_a_crash(PostgreSqlServer server) { // a server, of this class alone
 *     server.kill();
 *     server.restart();
 *   }
 * }
 *
 * try (RedisServer redis = RedisServer.start(Map.of("appendfsync", "everysec"))) {
 *   measure(redis.url());
 * }
 * }</pre>
 */
@NullMarked
package dev.onlyonce.services;

import org.jspecify.annotations.NullMarked;
