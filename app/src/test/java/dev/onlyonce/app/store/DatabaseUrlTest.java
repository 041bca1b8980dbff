package dev.onlyonce.app.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DatabaseUrlTest {

  @Test
  void what_is_wrong_with_an_address_is_said() {
    Map.ofEntries(
            Map.entry("jdbc:postgresql://h:99999/d", "has the port '99999'"),
            Map.entry("jdbc:postgresql://a:1,b:0/d", "has the port '0'"),
            Map.entry("jdbc:postgresql://h:x/d", "has the port 'x'"),
            Map.entry("jdbc:postgresql://h:5432", "names no database"),
            Map.entry("jdbc:postgresql://h?user=u", "names no database"),
            Map.entry("jdbc:postgresql:/d", "has no host"),
            Map.entry("jdbc:postgresql://h/a/b", "has a slash in the name of its database"),
            Map.entry("jdbc:postgresql://u:hush@h/d", "has a user or a password before its host"),
            Map.entry("jdbc:mariadb://u:hu/sh@h/d", "has a user or a password before its host"),
            Map.entry("jdbc:mariadb://h:3306", "names no database"),
            Map.entry("jdbc:mariadb://h:3306/?user=u", "names no database"),
            Map.entry("jdbc:mariadb:sequential://a,b:70000/d", "has the port '70000'"),
            Map.entry("jdbc:mariadb:/d", "has no host"))
        .forEach(
            (url, fault) ->
                assertThat(new DatabaseUrl(url).fault())
                    .as(url)
                    .startsWith(fault)
                    .doesNotContain("hush"));
  }

  @Test
  void what_its_driver_takes_is_taken() {
    for (String url :
        List.of(
            "jdbc:postgresql://h/d",
            "jdbc:postgresql://h:5432/",
            "jdbc:postgresql:d",
            "jdbc:postgresql://[::1]:5432,b/d?user=a@b",
            "jdbc:mariadb:sequential://a:1,b:2/d?user=a@b",
            "jdbc:mariadb://address=(host=h)(port=3306)/d",
            "jdbc:h2:mem:x;USER=a")) {
      assertThat(new DatabaseUrl(url).fault()).as(url).isNull();
    }
  }

  @Test
  void where_it_leads_is_said_with_the_port() {
    assertThat(new DatabaseUrl("jdbc:postgresql://h/d").where()).isEqualTo("h:5432");
    assertThat(new DatabaseUrl("jdbc:postgresql:d").where()).isEqualTo("localhost:5432");
    assertThat(new DatabaseUrl("jdbc:mariadb://h/d?user=u").where()).isEqualTo("h:3306");
    assertThat(new DatabaseUrl("jdbc:mariadb://[::1]:3307/d").where()).isEqualTo("[::1]:3307");
    assertThat(new DatabaseUrl("jdbc:postgresql://a:1,b:2/d").hosts()).isEqualTo(2);
  }
}
