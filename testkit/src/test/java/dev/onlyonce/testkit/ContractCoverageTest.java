package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which numbers the contracts show; docs/GUARANTEES may rely on it. */
class ContractCoverageTest {

  private static final List<Class<?>> CONTRACTS =
      List.of(
          ClaimStoreContract.class,
          ManualClockContract.class,
          ClaimReaderContract.class,
          SharedStoreContract.class,
          DurableStoreContract.class,
          BoundedStoreContract.class,
          UnknownStateContract.class);

  private static Stream<Method> tests() {
    return CONTRACTS.stream()
        .flatMap(it -> Arrays.stream(it.getMethods()))
        .filter(it -> it.isAnnotationPresent(Test.class))
        .distinct();
  }

  private static Collection<Integer> numbers(Function<Method, int[]> of) {
    return tests()
        .flatMapToInt(it -> IntStream.of(of.apply(it)))
        .boxed()
        .collect(TreeSet::new, TreeSet::add, TreeSet::addAll);
  }

  @Test
  void every_test_of_a_contract_says_what_it_shows() {
    assertThat(tests()).hasSizeGreaterThan(150);
    assertThat(tests()).allMatch(it -> it.isAnnotationPresent(Semantics.class));
  }

  @Test
  void the_contracts_show_these_semantics() {
    assertThat(numbers(it -> it.getAnnotation(Semantics.class).value()))
        .contains(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 20, 21, 23, 24)
        .contains(26, 27, 28, 29, 31, 32, 34, 35)
        .contains(37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48)
        .contains(69, 70, 77, 78, 80, 81, 82, 83, 92, 96, 97, 98, 106);
  }

  @Test
  void the_contracts_tell_these_known_failures() {
    Function<Method, int[]> cases =
        it ->
            it.isAnnotationPresent(Case.class) ? it.getAnnotation(Case.class).value() : new int[0];
    assertThat(numbers(cases)).contains(1, 3, 9, 11, 13, 19, 21, 23, 27, 73);
  }
}
