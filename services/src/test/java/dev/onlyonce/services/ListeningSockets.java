package dev.onlyonce.services;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Looks up where a process listens, in Linux's tables of sockets. */
final class ListeningSockets {
  private static final String LISTENS = "0A";

  private ListeningSockets() {}

  static List<InetAddress> addressesOf(long pid) throws IOException {
    Path process = Path.of("/proc", Long.toString(pid));
    Set<String> own;
    try (Stream<Path> files = Files.list(process.resolve("fd"))) {
      own = files.map(ListeningSockets::target).collect(Collectors.toSet());
    }
    List<InetAddress> addresses = new ArrayList<>();
    for (String table : List.of("net/tcp", "net/tcp6")) {
      for (String line : Files.readAllLines(process.resolve(table))) {
        String[] columns = line.strip().split("\\s+", -1);
        if (columns[3].equals(LISTENS) && own.contains("socket:[" + columns[9] + "]")) {
          addresses.add(address(columns[1].split(":", 2)[0]));
        }
      }
    }
    return addresses;
  }

  private static String target(Path file) {
    try {
      return Files.readSymbolicLink(file).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }

  /** Words of four bytes, each with the last byte first. */
  private static InetAddress address(String hex) throws IOException {
    byte[] bytes = HexFormat.of().parseHex(hex);
    byte[] address = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      address[i] = bytes[i - i % 4 + 3 - i % 4];
    }
    return InetAddress.getByAddress(address);
  }
}
