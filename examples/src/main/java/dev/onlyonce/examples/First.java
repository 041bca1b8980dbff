package dev.onlyonce.examples;

import dev.onlyonce.*;

class First {
  public static void main(String[] args) {
    try (var store = MemoryStore.create();
        var once =
            OnlyOnce.builder(store)
                .scope("billing")
                .results(ResultCodec.TEXT)
                .onInDoubt(OnInDoubt.PARK)
                .build()) {
      String receipt = once.process("order-4711/paid", () -> charge("order-4711"));
      String again = once.process("order-4711/paid", () -> charge("order-4711"));
      System.out.println(receipt.equals(again)); // true, and the card was charged once
    }
  }

  static String charge(String order) {
    System.out.println("charging " + order);
    return "receipt for " + order;
  }
}
