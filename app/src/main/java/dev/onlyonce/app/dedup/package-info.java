/**
 * De-duplicates records: {@link dev.onlyonce.app.dedup.Dedup} passes the first record of each key
 * on. Who remembers the keys is a claim store that it is given.
 */
@NullMarked
package dev.onlyonce.app.dedup;

import org.jspecify.annotations.NullMarked;
