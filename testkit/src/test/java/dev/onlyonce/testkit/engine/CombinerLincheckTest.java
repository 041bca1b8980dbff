package dev.onlyonce.testkit.engine;

import dev.onlyonce.spi.Combiner;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Whatever threads ask of a combiner at once, there is an order in which they could have asked one
 * after the other. (If the combiner passes the lead on before its batch is carried out, both tests
 * find it.)
 *
 * <p>The class is also its own sequential specification, so it has an instance for every run.
 */
public class CombinerLincheckTest {

  private final Combiner<Integer, Integer> combiner = new Combiner<>(this::sums, 2, 100);
  private int sum; // not guarded by anything: one batch at a time

  private List<Integer> sums(List<Integer> items) {
    List<Integer> sums = new ArrayList<>();
    for (int item : items) {
      sum += item;
      sums.add(sum);
    }
    return sums;
  }

  @Operation
  public int add(@Param(gen = IntGen.class, conf = "1:5") int item) {
    return combiner.call(List.of(item)).get(0);
  }

  @Operation
  public List<Integer> addTwice(@Param(gen = IntGen.class, conf = "1:5") int item) {
    return combiner.call(List.of(item, item));
  }

  @Test
  void every_result_under_stress_has_an_order() {
    new StressOptions()
        .iterations(10)
        .invocationsPerIteration(500)
        .threads(3)
        .actorsPerThread(3)
        .check(CombinerLincheckTest.class);
  }

  @Test
  void every_result_of_every_schedule_tried_has_an_order() {
    new ModelCheckingOptions()
        .iterations(3)
        .invocationsPerIteration(30)
        .threads(2)
        .actorsPerThread(2)
        .check(CombinerLincheckTest.class);
  }
}
