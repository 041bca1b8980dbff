package dev.onlyonce.app.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** How a worker handles the callbacks that it is sent: one for each run of the demo. */
public enum Handling {
  /** Each delivery is a charge. */
  NAIVE {
    @Override
    PaymentHandler open(Path folder, BankConnection bank) {
      return new NaiveHandler(bank);
    }
  },
  /** Looks whether the payment is among those that are done, charges, and remembers it as done. */
  CHECK_THEN_ACT {
    @Override
    PaymentHandler open(Path folder, BankConnection bank) throws IOException {
      return CheckThenActHandler.open(folder.resolve("done.txt"), bank);
    }
  },
  /** The library, over a local store, with a resolver that asks the bank. */
  ONLYONCE {
    @Override
    PaymentHandler open(Path folder, BankConnection bank) {
      return OnlyOnceHandler.open(folder.resolve("claims"), bank);
    }
  };

  /** Returns the word for it in tables and on command lines, as in {@code check-then-act}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Opens what a worker needs; what an earlier worker has left in the folder is taken up. */
  abstract PaymentHandler open(Path folder, BankConnection bank) throws IOException;
}
