package dev.onlyonce.services;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DatabaseTest {
  @Test
  void a_proxy_takes_the_place_of_the_server_in_the_url() {
    Database<PostgreSqlServer> postgreSql =
        new Database<>("jdbc:postgresql://example.org:5433/orders?user=me&password=it");
    Database<RedisServer> redis = new Database<>("redis://me:it@example.org:6380/3");

    assertThat(postgreSql.through(17).url())
        .isEqualTo("jdbc:postgresql://127.0.0.1:17/orders?user=me&password=it");
    assertThat(redis.through(17).url()).isEqualTo("redis://me:it@127.0.0.1:17/3");
    assertThat(redis.through(17).address().getPort()).isEqualTo(17);
  }
}
