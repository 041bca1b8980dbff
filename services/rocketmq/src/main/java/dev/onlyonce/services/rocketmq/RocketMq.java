package dev.onlyonce.services.rocketmq;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.common.MQVersion;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.namesrv.NamesrvConfig;
import org.apache.rocketmq.namesrv.NamesrvController;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.store.config.MessageStoreConfig;

/**
 * A name server and a broker in one JVM. The argument is a file with the broker's properties, in
 * which {@code namesrvPort} is the name server's. It throws if one of them does not start, which
 * ends the JVM only if its caller ends it.
 */
public final class RocketMq {
  private RocketMq() {}

  /** Starts both. */
  public static void main(String[] arguments) throws Exception {
    Properties properties = new Properties();
    try (Reader file = Files.newBufferedReader(Path.of(arguments[0]))) {
      properties.load(file);
    }
    // Their own main classes say so, too; the topics of a broker without a version are not read.
    System.setProperty(
        RemotingCommand.REMOTING_VERSION_KEY, Integer.toString(MQVersion.CURRENT_VERSION));
    try {
      startNameServer(Integer.parseInt(properties.getProperty("namesrvPort")));
      startBroker(properties);
    } catch (Exception | Error e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1); // their threads would go on
    }
  }

  private static void startNameServer(int port) throws Exception {
    NettyServerConfig server = new NettyServerConfig();
    server.setBindAddress("127.0.0.1");
    server.setListenPort(port);
    NamesrvController nameServer = new NamesrvController(new NamesrvConfig(), server);
    if (!nameServer.initialize()) {
      throw new IOException("the name server does not start");
    }
    nameServer.start();
  }

  private static void startBroker(Properties properties) throws Exception {
    BrokerConfig broker = new BrokerConfig();
    NettyServerConfig server = new NettyServerConfig();
    NettyClientConfig client = new NettyClientConfig();
    MessageStoreConfig store = new MessageStoreConfig();
    List.of(broker, server, client, store).forEach(it -> MixAll.properties2Object(properties, it));
    BrokerController controller = new BrokerController(broker, server, client, store);
    if (!controller.initialize()) {
      throw new IOException("the broker does not start");
    }
    controller.start();
  }
}
