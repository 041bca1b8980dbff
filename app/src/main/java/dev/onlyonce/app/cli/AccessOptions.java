package dev.onlyonce.app.cli;

import dev.onlyonce.app.store.Credentials;
import dev.onlyonce.app.store.StoreAccess;
import dev.onlyonce.app.store.StoreAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How a command comes to the store of an address: under which prefix, and as whom. */
final class AccessOptions {

  @Option(
      names = "--prefix",
      paramLabel = "NAME",
      description = {
        "The prefix of the store's keys in Redis or of its tables, if it was made with one of its"
            + " own."
      })
  private @Nullable String prefix;

  @Mixin private CredentialOptions credentials = new CredentialOptions();

  /** Returns how to come to the store of an address. */
  StoreAccess access(String address) {
    return StoreAddress.access(address, credentials(), prefix);
  }

  Credentials credentials() {
    return credentials.credentials();
  }

  @Nullable String prefix() {
    return prefix;
  }
}
