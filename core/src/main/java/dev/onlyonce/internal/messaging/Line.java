package dev.onlyonce.internal.messaging;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries with one ordering key, in order of arrival: the first of them is handled, those
 * behind it are claimed meanwhile. Only the thread of the loop has it.
 */
final class Line<R extends @Nullable Object> {

  /** Null for a line of one, which nothing joins. */
  final @Nullable String orderingKey;

  private final ArrayList<Work<R>> works = new ArrayList<>(1);

  /** The last one whose handler has returned. */
  private @Nullable Work<R> returned;

  /** Whether the first one has waited, so that those behind it are not claimed with it again. */
  private boolean isSlow;

  Line(@Nullable String orderingKey) {
    this.orderingKey = orderingKey;
  }

  void add(Work<R> work) {
    works.add(work);
    work.line = this;
  }

  void remove(Work<R> work) {
    works.remove(work);
    work.line = null;
  }

  /** Puts one into the place of another. */
  void replace(Work<R> work, Work<R> heir) {
    works.set(works.indexOf(work), heir);
    work.line = null;
    heir.line = this;
  }

  /** The handler of the first one has returned: others are handled, and settled after it. */
  void returned(Work<R> work) {
    work.before = returned;
    work.returnedFrom = this;
    returned = work;
    isSlow = false;
    remove(work);
  }

  /** Tells whether nothing is to come after anything of it any more. */
  boolean isOver() {
    return works.isEmpty() && (returned == null || returned.state == Work.State.GONE);
  }

  /** One has to wait; those behind it are claimed when it has ended. */
  void waits() {
    isSlow = true;
  }

  boolean isEmpty() {
    return works.isEmpty();
  }

  @Nullable Work<R> first() {
    return works.isEmpty() ? null : works.get(0);
  }

  /** Returns those whose keys may be asked for: no one before them may come to be handled again. */
  List<Work<R>> claimable(boolean onlyFirst) {
    List<Work<R>> claimable = new ArrayList<>();
    for (Work<R> work : works) {
      if (!work.state.letsOthersClaim()) {
        break;
      }
      if (work.state == Work.State.READY) {
        claimable.add(work);
      }
      if (onlyFirst || isSlow) {
        break;
      }
    }
    return claimable;
  }

  /** Tells whether somebody before this one may come to be handled again. */
  boolean isHeldBack(Work<R> work) {
    for (Work<R> before : works) {
      if (before == work) {
        return false;
      }
      if (!before.state.letsOthersClaim()) {
        return true;
      }
    }
    return false;
  }

  /** Returns those behind this one that have claimed their keys and wait. */
  List<Work<R>> claimedBehind(Work<R> work) {
    List<Work<R>> claimed = new ArrayList<>();
    boolean isBehind = false;
    for (Work<R> other : works) {
      if (isBehind && other.state == Work.State.CLAIMED) {
        claimed.add(other);
      }
      isBehind |= other == work;
    }
    return claimed;
  }
}
