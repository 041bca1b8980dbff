package dev.onlyonce.internal.messaging;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.messaging.Acknowledge;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.messaging.DeliveryHandler;
import dev.onlyonce.messaging.Retries;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.DeliveryTransaction;
import dev.onlyonce.spi.KeyExtractor;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a consumer. Immutable.
 *
 * @param fingerprints of payloads; null where they are not compared
 * @param orderingKeys what must stay in order; null for a delivery that stands alone
 * @param handler null if there is a transaction instead
 * @param savesPositions whether the transaction saves how far the lanes are finished
 * @param retries null if messages wait for their next attempt in the consumer
 * @param bypassUnkeyed whether what has no key is handled without protection
 * @param batch how many keys are claimed, or claims settled, in one call
 * @param mostUnderWay how many deliveries are held in memory
 * @param concurrency how many handlers run at the same time
 * @param grace how long handlers may go on when lanes are revoked or the consumer is closed
 */
public record ConsumerPlan<R extends @Nullable Object>(
    KeyExtractor keys,
    @Nullable Function<Delivery, Fingerprint> fingerprints,
    Function<Delivery, @Nullable String> orderingKeys,
    @Nullable DeliveryHandler<R> handler,
    @Nullable DeliveryTransaction transaction,
    boolean savesPositions,
    DeadLetters deadLetters,
    @Nullable Retries retries,
    Acknowledge acknowledge,
    boolean bypassUnkeyed,
    int batch,
    int mostUnderWay,
    int concurrency,
    Duration grace) {}
