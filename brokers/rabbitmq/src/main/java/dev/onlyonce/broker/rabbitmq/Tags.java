package dev.onlyonce.broker.rabbitmq;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * The delivery tags of a channel that were handed out and are not acknowledged. Not safe for use by
 * several threads at once.
 *
 * <p>A tag that is acknowledged twice, or was never delivered, has the broker close the channel.
 */
final class Tags {
  private final TreeSet<Long> unfinished = new TreeSet<>();

  /**
   * One acknowledgement.
   *
   * @param multiple whether it is for all earlier tags, too
   */
  record Acknowledgement(long tag, boolean multiple) {}

  /** A delivery is handed out; they come in the order of their tags. */
  void handedOut(long tag) {
    unfinished.add(tag);
  }

  /**
   * Returns what the broker is to be told when these are finished: one acknowledgement for all that
   * have no unfinished one before them, and one for each of the others. Tags that are not handed
   * out, or were finished before, are left out.
   */
  List<Acknowledgement> finished(Collection<Long> tags) {
    TreeSet<Long> now = new TreeSet<>(tags);
    now.retainAll(unfinished);
    unfinished.removeAll(now);
    List<Acknowledgement> all = new ArrayList<>();
    Long last = unfinished.isEmpty() ? now.floor(Long.MAX_VALUE) : now.lower(unfinished.first());
    if (last != null) {
      all.add(new Acknowledgement(last, true));
      now.headSet(last, true).clear();
    }
    now.forEach(tag -> all.add(new Acknowledgement(tag, false)));
    return all;
  }
}
