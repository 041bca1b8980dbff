package dev.onlyonce.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Key;
import dev.onlyonce.Locks;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import dev.onlyonce.Scope;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the pieces of the library guide, and holds the guide to them. */
class LibraryGuideTest {

  private final MemoryStore store = LibraryGuide.memory();
  private final CountingBank bank = new CountingBank();
  private final LibraryGuide guide = new LibraryGuide(store, bank);

  private static final class CountingBank implements LibraryGuide.Bank {
    final List<String> charged = new ArrayList<>();
    final List<String> reminded = new ArrayList<>();
    long largestToken;

    @Override
    public synchronized String charge(String order, long token) {
      if (order.isBlank()) {
        throw new IllegalArgumentException("no order");
      }
      assertThat(token).isGreaterThan(largestToken);
      largestToken = token;
      charged.add(order);
      return "receipt-" + order;
    }

    @Override
    public Optional<String> receiptOf(Key key) {
      return Optional.empty();
    }

    @Override
    public synchronized void refuseUpTo(Key key, long token) {
      largestToken = Math.max(largestToken, token);
    }

    @Override
    public synchronized void remind(String order) {
      reminded.add(order);
    }
  }

  @Test
  void the_guide_shows_the_regions_of_the_program() {
    assertThat(Guide.regions(LibraryGuide.class)).hasSize(12);
    assertThat(Guide.of("library.md").java()).isEqualTo(Guide.regions(LibraryGuide.class));
  }

  @Test
  void an_order_is_charged_once_however_it_is_asked_for() {
    try (OnlyOnce<String> once = guide.engine()) {
      assertThat(guide.charge(once, "order-1")).isEqualTo("receipt-order-1");
      assertThat(guide.charge(once, "order-1")).isEqualTo("receipt-order-1");
      assertThat(guide.later(once, "order-1").join()).isInstanceOf(Outcome.Duplicate.class);
      assertThat(guide.handle(once, "order-1", new byte[0])).startsWith("charged before");
    }
    assertThat(bank.charged).containsExactly("order-1");
  }

  @Test
  void another_payload_is_refused() {
    try (OnlyOnce<String> once = guide.engine()) {
      assertThat(guide.handle(once, "order-2", new byte[] {1})).startsWith("charged: ");
      assertThat(guide.handle(once, "order-2", new byte[] {2})).startsWith("refused");
    }
    assertThat(bank.charged).containsExactly("order-2");
  }

  @Test
  void an_exception_that_is_final_ends_the_key() {
    try (OnlyOnce<String> once = guide.engine()) {
      assertThatThrownBy(() -> guide.charge(once, " "))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(guide.handle(once, " ", new byte[0])).contains("Failed");
    }
  }

  @Test
  void a_message_of_json_is_known_by_its_fields_and_refused_without_them() {
    try (OnlyOnce<String> once = guide.engine()) {
      byte[] message = json("{'order':{'id':'o-3'},'status':'paid','sentAt':1}");
      byte[] copy = json("{'sentAt':2,'status':'paid','order':{'id':'o-3'}}");
      assertThat(guide.take(once, message)).isInstanceOf(Outcome.Processed.class);
      assertThat(guide.take(once, copy)).isInstanceOf(Outcome.Duplicate.class);
      assertThat(guide.take(once, json("{'status':'paid'}"))).isInstanceOf(Outcome.Unkeyed.class);
    }
    assertThat(bank.charged).hasSize(1);
  }

  private static byte[] json(String text) {
    return text.replace('\'', '"').getBytes(UTF_8);
  }

  @Test
  void a_view_has_keys_and_results_of_its_own() {
    try (OnlyOnce<String> once = guide.engine()) {
      guide.charge(once, "order-4");
      guide.remind(once, "order-4");
      guide.remind(once, "order-4");
    }
    assertThat(bank.reminded).containsExactly("order-4");
  }

  @Test
  void an_operator_decides_that_a_failed_key_is_done() {
    try (OnlyOnce<String> once = guide.engine()) {
      assertThatThrownBy(() -> guide.charge(once, " "))
          .isInstanceOf(IllegalArgumentException.class);
      Key key = guide.paid(" ");
      assertThat(guide.wasCharged(store, Scope.of("billing"), key, "by hand")).isTrue();
      assertThat(guide.charge(once, " ")).isEqualTo("by hand");
    }
  }

  @Test
  void a_receipt_is_there_after_a_restart(@TempDir Path directory) {
    for (int run = 0; run < 2; run++) {
      assertThat(guide.chargeDurably(directory, "order-5")).isEqualTo("receipt-order-5");
    }
    assertThat(bank.charged).containsExactly("order-5");
  }

  @Test
  void the_books_are_closed_under_a_lock() {
    try (Locks locks = Locks.on(store)) {
      assertThat(guide.closeTheBooks(locks, "monday")).isTrue();
    }
  }

  @Test
  void an_engine_works_over_a_combining_store() {
    List<String> sent = new ArrayList<>();
    try (OnlyOnce<Void> once = guide.combining()) {
      for (int copy = 0; copy < 2; copy++) {
        once.run("mail-1", () -> sent.add("mail-1"));
      }
    }
    assertThat(sent).containsExactly("mail-1");
  }
}
