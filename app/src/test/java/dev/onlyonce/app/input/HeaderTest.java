package dev.onlyonce.app.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import org.junit.jupiter.api.Test;

class HeaderTest {
  @Test
  void a_column_is_found_by_its_exact_name() {
    Header header = header("id,\"Order \"\"No\"\"\",ID\n");

    assertThat(header.column("id")).isEqualTo(0);
    assertThat(header.column("Order \"No\"")).isEqualTo(1);
    assertThat(header.column("ID")).isEqualTo(2);
  }

  @Test
  void a_column_is_found_by_its_number_unless_a_column_has_that_name() {
    Header header = header("id,1,name\n");

    assertThat(header.column("3")).isEqualTo(2);
    assertThat(header.column("1")).isEqualTo(1);
  }

  @Test
  void an_unknown_column_is_refused_with_the_columns_there_are() {
    assertThatThrownBy(() -> header("id,name\n").column("order"))
        .isInstanceOfSatisfying(
            Failure.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE))
        .hasMessage("in, line 1: there is no column \"order\"; the columns are id, name");
    assertThatThrownBy(() -> header("id,name\n").column("3")).isInstanceOf(Failure.class);
    assertThatThrownBy(() -> header("id,name\n").column("0")).isInstanceOf(Failure.class);
  }

  @Test
  void of_very_many_columns_only_some_are_shown() {
    assertThatThrownBy(() -> header("c,".repeat(99) + "d\n").column("x"))
        .hasMessageEndingWith("c, c, c, and 80 more");
  }

  @Test
  void a_name_that_two_columns_have_is_refused() {
    assertThatThrownBy(() -> header("id,x,id\n").column("id"))
        .hasMessage(
            "in, line 1: the header has more than one column \"id\";"
                + " give the number of the column that is meant");
  }

  private static Header header(String line) {
    return Collected.read(Collected.as(Format.CSV), line).header;
  }
}
