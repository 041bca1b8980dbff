package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.onlyonce.Claim;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimStore;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** The contract can fail: it is run on stores that are broken on purpose. */
class PlantedFaultTest {

  private static final int TIMES = 10;

  static List<PlantedFault> faults() {
    return PlantedFault.all();
  }

  @ParameterizedTest
  @MethodSource("faults")
  void every_planted_fault_turns_named_contract_tests_red(PlantedFault fault) {
    BrokenStoreContract.fault = fault;
    Set<String> red = new TreeSet<>();
    // Threads that race do not always meet; where nothing races, the first time shows it.
    for (int i = 0; i < TIMES && red.size() < fault.redTests().size(); i++) {
      red.addAll(redOf(BrokenStoreContract.class, fault.redTests()));
    }
    assertThat(red).containsExactlyInAnyOrderElementsOf(fault.redTests());
  }

  static Stream<Arguments> abilities() {
    return Stream.of(
        arguments(TwoStoresContract.class, "what_one_process_claims_another_sees"),
        arguments(TwoStoresContract.class, "a_process_that_was_overtaken_by_another_is_fenced"),
        arguments(ForgetfulContract.class, "every_record_is_as_it_was_after_a_restart"),
        arguments(ForgetfulContract.class, "tokens_grow_through_a_restart_with_a_purge_before_it"),
        arguments(
            UnboundedContract.class, "a_full_store_refuses_new_keys_and_forgets_none_that_it_has"),
        arguments(OtherReaderContract.class, "a_reader_sees_all_of_a_claim"),
        arguments(
            OtherReaderContract.class, "a_listing_shows_each_record_once_in_pages_of_any_size"),
        arguments(
            UnknownIsAbsentContract.class, "a_state_of_a_newer_version_reads_as_in_progress"));
  }

  @ParameterizedTest
  @MethodSource("abilities")
  void an_ability_that_a_store_does_not_have_turns_its_contract_red(
      Class<? extends StoreFixture> contract, String test) {
    assertThat(redOf(contract, List.of(test))).containsExactly(test);
  }

  private static Collection<String> redOf(Class<?> contract, Collection<String> tests) {
    Events events =
        EngineTestKit.engine("junit-jupiter")
            .selectors(
                tests.stream()
                    .map(test -> selectMethod(contract, test, Lab.class))
                    .toArray(DiscoverySelector[]::new))
            .execute()
            .testEvents();
    assertThat(events.started().count()).as("tests that ran").isEqualTo(tests.size());
    TreeSet<String> red = new TreeSet<>();
    events.failed().stream()
        .forEach(it -> red.add(it.getTestDescriptor().getDisplayName().replaceAll("\\(.*", "")));
    return red;
  }

  static class BrokenStoreContract extends ModelStoreContractTest {
    static PlantedFault fault = PlantedFault.all().get(0);

    @Override
    public ClaimStore open(StoreSettings settings) {
      return fault.open(time(), settings);
    }
  }

  /** The two processes have nothing in common. */
  static class TwoStoresContract extends ModelStoreContractTest {
    @Override
    public ClaimStore openBeside(StoreSettings settings) {
      return new ModelStore(time(), settings);
    }
  }

  /** Nothing is left after a restart, not even the floor. */
  static class ForgetfulContract extends ModelStoreContractTest {
    @Override
    public ClaimStore reopen(StoreSettings settings) {
      return new ModelStore(time(), settings);
    }
  }

  /** What it is told of the capacity is lost. */
  static class UnboundedContract extends MemoryStoreContractTest {
    @Override
    public ClaimStore open(StoreSettings settings) {
      return super.open(settings.withCapacity(1_000_000));
    }
  }

  /** The reader looks at another store. */
  static class OtherReaderContract extends MemoryStoreContractTest {
    @Override
    public ClaimReader reader(ClaimStore store) {
      return MemoryStore.builder().forgetful().build();
    }
  }

  /** What is not known is taken for nothing. */
  static class UnknownIsAbsentContract extends ModelStoreContractTest {
    @Override
    public void plantUnknownState(Claim claim) {
      model().remove(claim.scope(), claim.key());
    }
  }
}
