package dev.onlyonce.json;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * JSON Pointers (RFC 6901) as one tree, so that a single pass over a document finds them all.
 *
 * <p>A member name that comes twice on the way to a pointed value would leave the choice of the
 * value to chance, and is refused (RFC 7493 forbids it); names that no pointer mentions may repeat.
 * Immutable.
 */
final class PointerTree {

  /** Is told of the pointed values; it reads each to its last token. */
  @FunctionalInterface
  interface Visitor {
    void found(int pointer, JsonParser parser);
  }

  /** A place on the way to a pointed value, or the value. */
  static final class Node {
    final String name;
    final int number;
    private final long index;
    private final List<Node> children = new ArrayList<>(1);
    private int pointer = -1;

    private Node(String name, int number) {
      this.name = name;
      this.number = number;
      this.index = Pointer.arrayIndex(name);
    }

    boolean isPointed() {
      return pointer >= 0;
    }

    @Nullable Node member(String name) {
      for (int i = 0; i < children.size(); i++) {
        if (children.get(i).name.equals(name)) {
          return children.get(i);
        }
      }
      return null;
    }

    @Nullable Node element(long index) {
      for (int i = 0; i < children.size(); i++) {
        if (children.get(i).index == index) {
          return children.get(i);
        }
      }
      return null;
    }
  }

  private final List<String> pointers;
  private final Node root = new Node("", 0);
  private int nodes = 1;

  /**
   * @throws IllegalArgumentException if there are none, one is not a pointer, or one points into
   *     what another one points at
   */
  PointerTree(List<String> pointers) {
    if (pointers.isEmpty()) {
      throw new IllegalArgumentException("there must be a JSON Pointer, was none");
    }
    this.pointers = List.copyOf(pointers);
    for (int i = 0; i < pointers.size(); i++) {
      add(i);
    }
  }

  List<String> pointers() {
    return pointers;
  }

  Node root() {
    return root;
  }

  /** Shows the visitor each pointed value that is there, in the order of the document. */
  void visit(JsonParser parser, Visitor visitor) {
    new Pass(parser, visitor, new boolean[nodes]).value(root);
  }

  private void add(int pointer) {
    String text = pointers.get(pointer);
    Node node = root;
    for (String name : Pointer.parse(text)) {
      requireApart(node.pointer, text);
      Node next = node.member(name);
      if (next == null) {
        next = new Node(name, nodes++);
        node.children.add(next);
      }
      node = next;
    }
    requireApart(node.pointer, text);
    if (!node.children.isEmpty()) {
      Node below = node;
      while (!below.isPointed()) {
        below = below.children.get(0);
      }
      requireApart(pointer, pointers.get(below.pointer));
    }
    node.pointer = pointer;
  }

  private void requireApart(int outer, String inner) {
    if (outer >= 0) {
      throw new IllegalArgumentException(
          "JSON Pointers must point apart, but '%s' includes '%s': leave one of them out"
              .formatted(pointers.get(outer), inner));
    }
  }

  private record Pass(JsonParser parser, Visitor visitor, boolean[] seen) {

    void value(Node node) {
      if (node.isPointed()) {
        visitor.found(node.pointer, parser);
      } else if (parser.currentToken() == JsonToken.START_OBJECT) {
        object(node);
      } else if (parser.currentToken() == JsonToken.START_ARRAY) {
        array(node);
      }
    }

    private void object(Node node) {
      for (String name = parser.nextName(); name != null; name = parser.nextName()) {
        Node child = node.member(name);
        if (child != null && seen[child.number]) {
          throw new JsonException(
              "not decidable: member '" + child.name + "' comes twice, again" + Json.place(parser));
        }
        parser.nextToken();
        step(child);
      }
    }

    private void array(Node node) {
      long index = 0;
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        step(node.element(index++));
      }
    }

    private void step(@Nullable Node child) {
      if (child == null) {
        parser.skipChildren();
      } else {
        seen[child.number] = true;
        value(child);
      }
    }
  }
}
