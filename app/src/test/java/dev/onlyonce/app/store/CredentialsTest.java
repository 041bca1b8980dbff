package dev.onlyonce.app.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CredentialsTest {

  @Test
  void of_an_address_the_password_is_hidden_and_nothing_else() {
    Map.of(
            "redis://u:hush@h:6379/2", "redis://u:***@h:6379/2",
            "redis://:hush@h", "redis://:***@h",
            "redis://u:hu/s:h@x@a:1,b:2", "redis://u:***@a:1,b:2",
            "jdbc:postgresql://u:hu?sh@h/d", "jdbc:postgresql://u:***@h/d",
            "jdbc:mariadb://h:3306/d?user=a@b&password=hush",
                "jdbc:mariadb://h:3306/d?user=a@b&password=***",
            "jdbc:postgresql://h/d?sslpassword=hush&user=u",
                "jdbc:postgresql://h/d?sslpassword=***&user=u",
            "jdbc:postgresql://[::1]:5432,h/d?user=a@b",
                "jdbc:postgresql://[::1]:5432,h/d?user=a@b",
            "jdbc:mariadb://address=(host=h)(port=1)/d?user=a@b",
                "jdbc:mariadb://address=(host=h)(port=1)/d?user=a@b",
            "jdbc:h2:tcp://h/x;USER=a@b;PASSWORD=hush", "jdbc:h2:tcp://h/x;USER=a@b;PASSWORD=***")
        .forEach((address, shown) -> assertThat(Credentials.hidden(address)).isEqualTo(shown));
  }

  @Test
  void what_may_be_a_password_is_hidden() {
    assertThat(Credentials.hidden("redis://hush@h")).isEqualTo("redis://***@h");
    for (String address :
        List.of(
            "jdbc:mariadb://u:1/hush@h/d?a=b", "jdbc:mariadb://u:1/d?hush@h", "redis://:hush/@h")) {
      assertThat(Credentials.hidden(address)).as(address).doesNotContain("hush");
    }
  }

  @Test
  void what_others_say_of_an_address_is_shown_but_for_its_password() {
    String address = "jdbc:mariadb://u:hush@h/d";
    assertThat(Credentials.hiddenIn("no // in " + address + "; ask dba@h", address))
        .isEqualTo("no // in jdbc:mariadb://u:***@h/d; ask dba@h");
  }
}
