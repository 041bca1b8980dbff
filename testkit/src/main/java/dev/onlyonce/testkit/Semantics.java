package dev.onlyonce.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Says which of the numbered semantics a test shows. The numbers are stable and are those of
 * docs/GUARANTEES; JUnit sees the tag {@code semantics}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Tag("semantics")
public @interface Semantics {

  /** The numbers, from 1. */
  int[] value();
}
