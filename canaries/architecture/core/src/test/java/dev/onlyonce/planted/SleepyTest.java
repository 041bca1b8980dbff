package dev.onlyonce.planted;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

class SleepyTest {
  @Test
  @Disabled("so that nobody sees that it sleeps")
  void a_nap_is_taken() throws InterruptedException {
    Thread.sleep(1);
  }
}
