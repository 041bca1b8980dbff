package dev.onlyonce.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Says which known failures of comparable systems a test tells the story of. The numbers are
 * stable; JUnit sees the tag {@code case}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Tag("case")
public @interface Case {

  /** The numbers, from 1. */
  int[] value();
}
