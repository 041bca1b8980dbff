package dev.onlyonce.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PointerTest {

  @Test
  void a_pointer_is_its_reference_tokens() {
    assertThat(Pointer.parse("")).isEmpty();
    assertThat(Pointer.parse("/")).containsExactly("");
    assertThat(Pointer.parse("/a//b/")).containsExactly("a", "", "b", "");
    assertThat(Pointer.parse("/a~1b/m~0n/~01")).containsExactly("a/b", "m~n", "~1");
    assertThat(Pointer.parse("/a.b/ /%25")).containsExactly("a.b", " ", "%25");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '!',
      value = {
        ".event.eventID         | /event/eventID",
        "event.eventID          | /event/eventID",
        "$.event.eventID        | /event/eventID",
        "event/eventID          | /event/eventID",
        "#/event/eventID        | /event/eventID",
        "#/a%20b                | /a b",
        "id                     | /id",
        "@timestamp             | /@timestamp",
        "event-id               | /event-id",
        ".a[0].b                | /a/0/b",
        "a[0][12]               | /a/0/12",
        "$[0].id                | /0/id",
        ".[0]                   | /0",
        "[3]                    | /3",
        ".[\"event id\"].x      | /event id/x",
        "$['a.b']['c']          | /a.b/c",
        ".\"a/b\".\"m~n\"       | /a~1b/m~0n",
      })
  void what_looks_like_jq_or_jsonpath_is_answered_with_the_pointer(String text, String pointer) {
    assertThatThrownBy(() -> JsonKeys.at(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not a JSON Pointer: '" + text + "'; write " + pointer);
  }

  @ParameterizedTest
  @ValueSource(strings = {".", "$", "#"})
  void what_means_the_whole_document_is_answered_with_the_empty_pointer(String text) {
    assertThatThrownBy(() -> JsonKeys.at(text))
        .hasMessage("not a JSON Pointer: '%s'; write '' (nothing) for the whole document", text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {".a[]", "$..id", ".a | .b", "$.a[*]", "a b", ".a?", "#id", "#/%zz", "..."})
  void what_is_neither_is_answered_with_an_example(String text) {
    assertThatThrownBy(() -> JsonKeys.at(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "not a JSON Pointer: '%s'; write the names on the way with a / before each,"
                + " as in /event/eventID",
            text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a~", "/a~2", "/~/b", "/a~0~"})
  void a_tilde_that_escapes_nothing_is_refused(String text) {
    assertThatThrownBy(() -> JsonKeys.at(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not a JSON Pointer: '%s'; in a name write ~0 for ~ and ~1 for /", text);
  }

  @Test
  void pointers_that_include_one_another_are_refused_in_either_order() {
    String message =
        "JSON Pointers must point apart, but '%s' includes '%s': leave one of them out";
    assertThatThrownBy(() -> JsonKeys.at("/a", "/a/b")).hasMessage(message, "/a", "/a/b");
    assertThatThrownBy(() -> JsonKeys.at("/a/b/c", "/x", "/a")).hasMessage(message, "/a", "/a/b/c");
    assertThatThrownBy(() -> JsonKeys.at("/a", "/a")).hasMessage(message, "/a", "/a");
    assertThatThrownBy(() -> JsonKeys.at("/a", "")).hasMessage(message, "", "/a");
    assertThatThrownBy(JsonKeys::at).hasMessage("there must be a JSON Pointer, was none");
  }
}
