package dev.onlyonce.app.output;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.FileName;
import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.input.Header;
import dev.onlyonce.app.input.RecordBatch;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What happens to records that cannot be handled, by the policy that an option such as {@code
 * --bad-record} names:
 *
 * <ul>
 *   <li>{@code fail}: such a record is left out; the run goes on, so that all of them are found at
 *       once, and fails at its end;
 *   <li>{@code pass}: it is let through, in its place in the output;
 *   <li>anything else is a file: it is set aside there. A file that is called like a policy is
 *       written {@code ./pass}.
 * </ul>
 *
 * <p>Only the first {@value #MOST_TOLD} are told one by one, with their place; all are counted. The
 * bytes are never changed nor held in memory. Not thread-safe.
 */
public final class Rejects {
  private static final int MOST_TOLD = 20;

  private final String option;
  private final String reason;
  private final String policy;
  private final Consumer<String> notices;
  private @Nullable RecordWriter target;
  private boolean owned;
  private long count;

  private Rejects(String option, String reason, String policy, Consumer<String> notices) {
    this.option = option;
    this.reason = reason;
    this.policy = policy;
    this.notices = notices;
  }

  /**
   * A policy for records without a key, which are told only where they are left out.
   *
   * @param policy the value of {@code --missing-key}
   * @param notices is told the sentences for the user
   */
  public static Rejects missingKeys(String policy, Consumer<String> notices) {
    Rejects told = new Rejects("--missing-key", "for want of a key", policy, notices);
    return told.fails()
        ? told
        : new Rejects("--missing-key", "for want of a key", policy, sentence -> {});
  }

  /**
   * A policy for records that are damaged or too long, which are always told.
   *
   * @param policy the value of {@code --bad-record}
   * @param notices is told the sentences for the user
   */
  public static Rejects badRecords(String policy, Consumer<String> notices) {
    return new Rejects("--bad-record", "as unreadable", policy, notices);
  }

  /**
   * A policy for records whose time has gone out of the window, which are only counted. Instead of
   * {@code fail} it has {@code drop}: they are left out, and nothing fails.
   *
   * @param policy the value of {@code --late}
   */
  public static Rejects late(String policy) {
    return new Rejects("--late", "as late", policy, sentence -> {});
  }

  /** Opens the file, if the policy is one. Records that are let through go to {@code passTo}. */
  public void open(Outputs outputs, RecordWriter passTo) {
    if (policy.equalsIgnoreCase("pass")) {
      target = passTo;
    } else if (!fails() && !drops()) {
      target = outputs.sideFile(option, FileName.path(policy));
      owned = true;
    }
  }

  /** Does the same; where policies are the same file, their records go there in their order. */
  public void open(Outputs outputs, RecordWriter passTo, Rejects... others) {
    for (Rejects other : others) {
      if (other.owned && policy.equals(other.policy)) {
        target = other.target;
        return;
      }
    }
    open(outputs, passTo);
  }

  /** Writes the header line to the file, if the policy is one. */
  public void write(Header header) {
    if (target != null && owned) {
      target.write(header);
    }
  }

  /**
   * Takes a record that cannot be handled, or a part of one.
   *
   * @param problem what is wrong, as a sentence whose subject is "the record"
   */
  public void take(RecordBatch batch, int entry, String problem) {
    if (batch.part(entry).begins()) {
      count++;
      tell(batch.place(entry) + ": the record " + problem);
    }
    if (target != null) {
      target.write(batch, entry);
    }
  }

  /** How many records were taken. */
  public long count() {
    return count;
  }

  /** True if records are left out of all outputs, and the run fails for that. */
  public boolean fails() {
    return !option.equals("--late") && policy.equalsIgnoreCase("fail");
  }

  private boolean drops() {
    return option.equals("--late") && policy.equalsIgnoreCase("drop");
  }

  /**
   * To be called behind the last record. Of several policies that left records out, each is told by
   * itself.
   *
   * @throws Failure if any of these policies left records out
   */
  public static void refuse(Rejects... policies) {
    List<Rejects> refusing = Stream.of(policies).filter(Rejects::hasLeftOut).toList();
    if (refusing.isEmpty()) {
      return;
    }
    int last = refusing.size() - 1;
    refusing.subList(0, last).forEach(policy -> policy.notices.accept(policy.remedy()));
    throw Failure.badInput(refusing.get(last).remedy());
  }

  private boolean hasLeftOut() {
    return fails() && count > 0;
  }

  private String remedy() {
    return Quantity.of(count, "record")
        + (count == 1 ? " was" : " were")
        + " left out "
        + reason
        + ", as told above; "
        + option
        + " pass lets such records through, "
        + option
        + " FILE sets them aside";
  }

  private void tell(String sentence) {
    if (count <= MOST_TOLD) {
      notices.accept(sentence);
    } else if (count == MOST_TOLD + 1) {
      notices.accept(sentence + "; more of these are only counted");
    }
  }
}
