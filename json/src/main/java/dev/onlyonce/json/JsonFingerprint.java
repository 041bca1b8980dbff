package dev.onlyonce.json;

import dev.onlyonce.Fingerprint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fingerprint of what a JSON document says, not of how it is written: SHA-256 of its canonical
 * form, so that a copy with its members in another order is a duplicate and not a mismatch.
 *
 * <p><b>Canonical form.</b> RFC 8785 (JCS) but for numbers: members sorted at all depths by the
 * UTF-16 code units of their names, arrays in their order, no white space, one way to write a
 * string. Numbers stand by their exact decimal value in the layout of RFC 8785, which would round
 * them to doubles and so make {@code 9007199254740992} and {@code 9007199254740993} one; documents
 * whose numbers a double holds exactly in their shortest form have the bytes of RFC 8785. The form
 * is part of what stores keep, and does not change.
 *
 * <p><b>Parts.</b> {@link #without} leaves members out that a producer changes with each copy, such
 * as the time of sending. {@link #only} looks at chosen places and nothing else.
 *
 * <p>Immutable; any number of threads. Memory for a call: the canonical form twice, and some 32
 * bytes a member.
 *
 * <p><b>Failure.</b> {@link JsonException} for a document that is not one JSON value in UTF-8 or is
 * nested deeper than 500 levels; and, as RFC 8785 demands, for a member name that comes twice in
 * one object and for an unpaired surrogate; and for an exponent of more than 18 digits. What is
 * left out need only be JSON.
 */
public final class JsonFingerprint {

  private static final JsonFingerprint WHOLE = new JsonFingerprint(null, false);

  private final Json json = new Json();
  private final @Nullable PointerTree tree;
  private final boolean only;

  private JsonFingerprint(@Nullable PointerTree tree, boolean only) {
    this.tree = tree;
    this.only = only;
  }

  /** Returns the fingerprint of whole documents. */
  public static JsonFingerprint whole() {
    return WHOLE;
  }

  /**
   * Returns the fingerprint of documents without what these JSON Pointers (RFC 6901) lead to.
   *
   * @throws IllegalArgumentException as for {@link JsonKeys#at}, and for {@code ""}
   */
  public static JsonFingerprint without(String... pointers) {
    PointerTree tree = new PointerTree(List.of(pointers));
    if (tree.root().isPointed()) {
      throw new IllegalArgumentException("without '' (the whole document) nothing is left");
    }
    return new JsonFingerprint(tree, false);
  }

  /**
   * Returns the fingerprint of what these JSON Pointers (RFC 6901) lead to: that of an object with
   * a member for each pointer that leads to something, the pointer its name. What is not there is
   * not null. The order of the pointers does not matter.
   *
   * @throws IllegalArgumentException as for {@link JsonKeys#at}
   */
  public static JsonFingerprint only(String... pointers) {
    return new JsonFingerprint(new PointerTree(List.of(pointers)), true);
  }

  /**
   * Returns the fingerprint of this document.
   *
   * @throws JsonException if it has none
   */
  public Fingerprint of(byte[] document) {
    return Fingerprint.sha256(canonical(document));
  }

  /**
   * Returns the canonical form that the fingerprint is the digest of.
   *
   * @throws JsonException if the document has none
   */
  public byte[] canonical(byte[] document) {
    CanonicalJson canonical = new CanonicalJson();
    if (only && tree != null) {
      CanonicalJson.Members chosen = canonical.open();
      json.read(
          document,
          0,
          document.length,
          parser ->
              tree.visit(
                  parser, (i, at) -> canonical.member(chosen, tree.pointers().get(i), at, null)));
      canonical.close(chosen);
    } else {
      PointerTree.Node leftOut = tree == null ? null : tree.root();
      json.read(document, 0, document.length, parser -> canonical.append(parser, leftOut));
    }
    return canonical.toBytes();
  }
}
