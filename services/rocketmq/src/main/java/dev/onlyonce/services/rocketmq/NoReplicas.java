package dev.onlyonce.services.rocketmq;

import org.apache.rocketmq.store.ha.DefaultHAService;

/**
 * A broker's replication without replicas. The one that it replaces would listen for them on every
 * interface; without any the broker would not be a master. RocketMQ finds it by its name in {@code
 * META-INF/service}.
 */
public final class NoReplicas extends DefaultHAService {

  /** Called by RocketMQ. */
  public NoReplicas() {}

  @Override
  public void start() {
    // nobody is listened to
  }
}
