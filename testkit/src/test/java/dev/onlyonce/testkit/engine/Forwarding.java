package dev.onlyonce.testkit.engine;

import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.testkit.FaultyStore.Verb;
import java.util.List;

/** A store in front of another, for a test that wants to be there when it is asked. */
abstract class Forwarding implements ClaimStore {

  private final ClaimStore store;

  Forwarding(ClaimStore store) {
    this.store = store;
  }

  void before(Verb verb) {}

  void after(Verb verb) {}

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    before(Verb.CLAIM);
    List<Answer> answers = store.claim(batch);
    after(Verb.CLAIM);
    return answers;
  }

  @Override
  public List<Held> settle(List<? extends Settlement> batch) {
    before(Verb.SETTLE);
    List<Held> answers = store.settle(batch);
    after(Verb.SETTLE);
    return answers;
  }

  @Override
  public List<Held> renew(List<Renewal> batch) {
    before(Verb.RENEW);
    List<Held> answers = store.renew(batch);
    after(Verb.RENEW);
    return answers;
  }

  @Override
  public int purge(int limit) {
    before(Verb.PURGE);
    return store.purge(limit);
  }

  @Override
  public void close() {
    store.close();
  }
}
