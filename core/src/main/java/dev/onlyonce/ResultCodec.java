package dev.onlyonce;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

/**
 * Turns a handler's result into bytes with a content type, and back for its duplicates.
 *
 * <p>There is no Java serialization. Implementations are safe for use by several threads.
 *
 * @param <R> the result
 */
public interface ResultCodec<R> {

  /** Text, as UTF-8. */
  ResultCodec<String> TEXT =
      new ResultCodec<>() {
        @Override
        public Result.Value encode(String result) {
          return new Result.Value("text/plain", result.getBytes(UTF_8));
        }

        @Override
        public String decode(Result.Value stored) {
          return new String(stored.bytes(), UTF_8);
        }
      };

  /** Bytes, as they are; neither the handler nor its caller may change them afterwards. */
  ResultCodec<byte[]> BYTES =
      new ResultCodec<>() {
        @Override
        public Result.Value encode(byte[] result) {
          return new Result.Value("application/octet-stream", result);
        }

        @Override
        public byte[] decode(Result.Value stored) {
          return stored.bytes();
        }
      };

  /** No result: whatever the handler returns is not kept, and duplicates get null. */
  ResultCodec<@Nullable Void> NONE =
      new ResultCodec<>() {
        @Override
        public Result.Value encode(@Nullable Void result) {
          throw new IllegalStateException("a Void has no value");
        }

        @Override
        @SuppressWarnings("NullAway") // the type says that null is its only value
        public @Nullable Void decode(Result.Value stored) {
          return null;
        }
      };

  /**
   * Encodes a result that is not null.
   *
   * @throws RuntimeException if it cannot; the key is completed all the same, without a result
   */
  Result.Value encode(R result);

  /**
   * Decodes a stored result.
   *
   * @throws RuntimeException if it cannot, for instance since another version wrote it; the caller
   *     gets a {@link ResultNotKeptException} and the handler is not run again
   */
  R decode(Result.Value stored);
}
