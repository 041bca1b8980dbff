package dev.onlyonce.app.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.demo.Bank.Verb;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The bank as a process, and what a resolver relies on. */
class BankTest {

  private Children children;
  private Child bank;

  @BeforeEach
  void start() throws Exception {
    children = Children.inTemporaryFolder(Map.of());
    bank = children.start(Bank.class);
  }

  @AfterEach
  void end() {
    children.close();
  }

  @Test
  void it_charges_what_it_is_told_however_often() throws Exception {
    try (BankConnection client = BankConnection.open(bank.port())) {
      assertThat(client.lookUp(new Payment(1)).join()).isEqualTo(Ledger.NOT_CHARGED);
      long first = client.charge(new Payment(1)).join();
      long second = client.charge(new Payment(1)).join();
      client.charge(new Payment(2)).join();

      assertThat(second).isGreaterThan(first);
      assertThat(client.lookUp(new Payment(1)).join()).isEqualTo(second);
      assertThat(client.total(Verb.CHARGES)).isEqualTo(3);
      assertThat(client.total(Verb.CHARGED)).isEqualTo(2);
      assertThat(client.total(Verb.DOUBLED)).isEqualTo(1);
      assertThat(client.total(Verb.LOOK_UPS)).isEqualTo(2);
      assertThat(client.total(Verb.LOOKED_UP)).isEqualTo(1);
    }
  }

  /** As when a worker is killed that has sent charges and read no answer. */
  @Test
  void what_a_client_had_sent_is_booked_before_the_next_client_is_answered() throws Exception {
    for (int round = 0; round < 20; round++) {
      try (Socket dead = new Socket()) {
        dead.connect(Loopback.port(bank.port()));
        OutputStream out = dead.getOutputStream();
        for (int i = 0; i < 100; i++) {
          out.write(Bank.question(i, Verb.CHARGE, round * 100 + i));
        }
      }
      try (BankConnection next = BankConnection.open(bank.port())) {
        assertThat(next.total(Verb.CHARGED)).isEqualTo(100L * (round + 1));
      }
    }
  }

  @Test
  void a_client_is_answered_only_when_the_one_before_is_gone() throws Exception {
    BankConnection first = BankConnection.open(bank.port());
    CompletableFuture<Long> answer;
    try (BankConnection second = BankConnection.open(bank.port())) {
      answer = second.lookUp(new Payment(1));
      long receipt = 0;
      for (int i = 0; i < 1_000; i++) {
        receipt = first.charge(new Payment(1)).join();
        assertThat(answer).isNotDone();
      }
      first.close();

      assertThat(answer.join()).isEqualTo(receipt);
    }
  }
}
