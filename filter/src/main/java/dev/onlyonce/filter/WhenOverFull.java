package dev.onlyonce.filter;

/** What a fixed filter does with new keys when its estimated error rate is twice the promise. */
public enum WhenOverFull {
  /** Throws {@link OverFullException}: nobody is told "maybe" by a filter that knows nothing. */
  REFUSE,

  /** Takes them; the error rate grows towards one, and {@code estimatedErrorRate} says so. */
  ACCEPT
}
