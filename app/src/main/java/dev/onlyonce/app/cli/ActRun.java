package dev.onlyonce.app.cli;

import dev.onlyonce.Key;
import dev.onlyonce.app.claims.ActionReport;
import dev.onlyonce.app.claims.Listing;
import dev.onlyonce.app.claims.Lookup;
import dev.onlyonce.app.claims.Operator;
import dev.onlyonce.app.cli.ActOptions.Order;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One order, as it is carried out or, without an operator, only shown. */
final class ActRun {

  private final Order order;
  private final long now;
  private final ActionReport report;
  private final @Nullable Operator operator;

  ActRun(Order order, long now, ActionReport report, @Nullable Operator operator) {
    this.order = order;
    this.now = now;
    this.report = report;
    this.operator = operator;
  }

  /** Acts on these keys, or on all of a kind if that is the order. */
  void on(List<String> keys, ClaimReader reader, Lookup lookup) {
    if (order.bulk().isGiven()) {
      new Listing(reader, order.bulk().selection(), now).inBatches(this::act);
      return;
    }
    List<ClaimRecord> records = named(keys, lookup);
    for (int from = 0; from < records.size(); from += Listing.PAGE) {
      act(records.subList(from, Math.min(records.size(), from + Listing.PAGE)));
    }
  }

  /** Finds the records of the keys that were named, and tells which cannot be found. */
  private List<ClaimRecord> named(List<String> keys, Lookup lookup) {
    Map<Key, String> distinct = new LinkedHashMap<>();
    keys.forEach(text -> distinct.putIfAbsent(Lookup.key(text), text));
    List<ClaimRecord> records = new ArrayList<>();
    distinct.forEach(
        (key, text) -> {
          List<ClaimRecord> found = lookup.find(key);
          if (found.size() == 1) {
            records.add(found.get(0));
          } else if (found.isEmpty()) {
            report.notFound(key, lookup.absence(text));
          } else {
            report.ambiguous(key, found);
          }
        });
    return records;
  }

  private void act(List<ClaimRecord> batch) {
    List<ClaimRecord> meant = new ArrayList<>();
    for (ClaimRecord record : batch) {
      String refusal = order.action().refusal(record, now, order.forced());
      if (refusal == null) {
        meant.add(record);
      } else if (!order.bulk().isGiven()) {
        report.refused(record, refusal);
      }
    }
    if (operator == null) {
      meant.forEach(record -> report.done(record, 0));
    } else if (!meant.isEmpty()) {
      change(operator, meant);
    }
  }

  private void change(Operator changing, List<ClaimRecord> meant) {
    List<Long> tokens = changing.act(order.action(), meant, order.result());
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.get(i) == 0) {
        report.refused(meant.get(i), "has changed meanwhile: look again");
      } else {
        report.done(meant.get(i), tokens.get(i));
      }
    }
  }
}
