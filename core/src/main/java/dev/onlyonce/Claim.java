package dev.onlyonce;

/**
 * The right to act on a key: what a store hands to the one that may run the handler, and what it
 * asks for again when the handler's outcome is settled.
 *
 * <p>A claim is held as long as the store's record is in state CLAIMED with this token. The token
 * is larger than that of every earlier claim of the same scope and key, through release, purge and
 * restore, so a resource that remembers the largest token it has seen can refuse an overtaken
 * holder (fencing).
 *
 * <p>Immutable.
 *
 * @param scope the scope of the key
 * @param key what is claimed
 * @param token the fencing token, larger than zero
 * @param attempt how many times the key has been claimed since its record is there, from 1; counted
 *     at claim time, so that a killed process counts. Opening a record by its token and completing
 *     it in the same step is a decision, and none
 */
public record Claim(Scope scope, Key key, long token, int attempt) {}
