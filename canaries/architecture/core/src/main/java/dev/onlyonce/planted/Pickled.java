package dev.onlyonce.planted;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;

/** Is serialized by the JDK. */
final class Pickled implements Serializable {
  static Object open(ObjectInputStream jar) throws IOException, ClassNotFoundException {
    return jar.readObject();
  }
}
