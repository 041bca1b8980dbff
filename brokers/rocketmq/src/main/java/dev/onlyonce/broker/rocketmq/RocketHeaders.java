package dev.onlyonce.broker.rocketmq;

/**
 * Headers with a meaning of their own. The others are properties of the application, in UTF-8; what
 * RocketMQ keeps for itself in properties is none.
 */
public final class RocketHeaders {

  /** Of a message that a {@link RocketPublisher} sent: its id. */
  public static final String ID = "onlyonce-id";

  /** The message's tag. */
  public static final String TAG = "TAGS";

  private RocketHeaders() {}
}
