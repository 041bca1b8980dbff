package dev.onlyonce.services;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A certificate for {@code localhost} that has signed itself, and is good for two days.
 *
 * @param key the private key, as PEM
 * @param certificate as PEM
 * @param trustStore for clients, PKCS #12 with the password {@code changeit}
 */
record Certificate(Path key, Path certificate, Path trustStore) {

  private static final String ALIAS = "server";
  private static final String PASSWORD = "changeit";

  /** Makes one, by the keytool of this Java. */
  static Certificate create(Home home) {
    Path pair = home.directory().resolve("pair.p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    List<String> command =
        List.of(
            keytool,
            "-genkeypair",
            "-alias",
            ALIAS,
            "-keyalg",
            "RSA",
            "-keysize",
            "2048",
            "-dname",
            "CN=localhost",
            "-ext",
            "san=dns:localhost",
            "-validity",
            "2",
            "-storetype",
            "PKCS12",
            "-keystore",
            pair.toString(),
            "-storepass",
            PASSWORD);
    Child.run(home, command);
    try (InputStream in = Files.newInputStream(pair)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(in, PASSWORD.toCharArray());
      byte[] key = store.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded();
      java.security.cert.Certificate own = store.getCertificate(ALIAS);
      return new Certificate(
          home.file("key.pem", pem("PRIVATE KEY", key)),
          home.file("certificate.pem", pem("CERTIFICATE", own.getEncoded())),
          trusting(own, home.directory().resolve("trusted.p12")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new ServerException("a certificate could not be made: " + e);
    }
  }

  private static List<String> pem(String what, byte[] bytes) {
    String text = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(bytes);
    return List.of("-----BEGIN " + what + "-----", text, "-----END " + what + "-----");
  }

  private static Path trusting(java.security.cert.Certificate own, Path file)
      throws IOException, GeneralSecurityException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry(ALIAS, own);
    try (OutputStream out = Files.newOutputStream(file)) {
      trusted.store(out, PASSWORD.toCharArray());
    }
    return file;
  }
}
