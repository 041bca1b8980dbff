package dev.onlyonce.testkit;

/**
 * The contract of every claim store, as tests: what 3 copies, 8 threads, a dead worker and a late
 * one may see. A store's own test extends it and says how the store is opened and how time passes:
 *
 * <pre>{@code
 * class MyStoreContractTest extends ClaimStoreContract implements ServerClock {
 *   public ClaimStore open(StoreSettings settings) {
 *     return MyStore.on(emptyDatabase(), settings.purgeGrace(), settings.owner());
 *   }
 * }
 * }</pre>
 *
 * <p>What not every store can do is a contract of its own, an interface that the same class
 * implements beside this one, so that nothing is ever skipped:
 *
 * <ul>
 *   <li>{@link ManualClockContract}: the store takes its time from a {@link ManualTime}; the
 *       alternative is {@link ServerClock}
 *   <li>{@link ClaimReaderContract}: its records can be looked at
 *   <li>{@link SharedStoreContract}: several processes can have it open
 *   <li>{@link DurableStoreContract}: it remembers when it is closed and opened again
 *   <li>{@link BoundedStoreContract}: it has a capacity
 *   <li>{@link UnknownStateContract}: a test can write a state that this version does not know
 * </ul>
 *
 * <p>{@link Semantics} and {@link Case} at each test say which numbers it shows.
 */
public abstract class ClaimStoreContract
    implements ClaimRules,
        SettleRules,
        LapseRules,
        CheckpointRules,
        AttemptRules,
        ExpiryRules,
        FingerprintRules,
        ResultRules,
        RepeatRules,
        OperatorRules,
        KeyRules,
        BatchRules,
        RaceRules,
        ModelRules {

  /** For subclasses. */
  protected ClaimStoreContract() {}
}
