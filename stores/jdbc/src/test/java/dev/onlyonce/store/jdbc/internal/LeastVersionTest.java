package dev.onlyonce.store.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.spi.StoreException;
import dev.onlyonce.store.jdbc.SqlDialect;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Versions as drivers tell them; that the servers of today are new enough every other test shows.
 */
class LeastVersionTest {

  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, 13.22, 14.0, purge",
    "POSTGRESQL, 9.6.24, 14.0, purge",
    "POSTGRESQL, 13beta1, 14.0, purge",
    "MARIADB, 10.5.29-MariaDB, 10.6, SKIP LOCKED",
    "MARIADB, 5.5.5-10.5.29-MariaDB-log, 10.6, SKIP LOCKED",
    "MARIADB, 5.5.68-MariaDB, 10.6, SKIP LOCKED",
    "MYSQL, 5.7.44, 8.0, SKIP LOCKED"
  })
  void an_older_one_is_refused_and_told_which_is_needed_and_why(
      SqlDialect name, String found, String needed, String why) {
    assertThatThrownBy(() -> LeastVersion.require(name, found))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.REJECTED))
        .hasMessageContainingAll(name + " " + found, needed + " is needed", why);
  }

  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, 14.0",
    "POSTGRESQL, 14devel",
    "POSTGRESQL, 18.1 (Debian 18.1-1.pgdg13+2)",
    "MARIADB, 10.6.0-MariaDB",
    "MARIADB, 5.5.5-10.11.14-MariaDB-0+deb12u2",
    "MARIADB, 11.4.2-MariaDB",
    "MYSQL, 8.0.11",
    "MYSQL, 8.0.mysql_aurora.3.08.0",
    "MYSQL, 9.1.0",
    "H2, 2.2.224 (2023-09-17)",
    "POSTGRESQL, unknown"
  })
  void a_newer_one_is_not_nor_one_that_does_not_say(SqlDialect name, String found) {
    assertThatCode(() -> LeastVersion.require(name, found)).doesNotThrowAnyException();
  }
}
