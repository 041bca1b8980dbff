/** OnlyOnce runs a handler once per business key, however often its message is delivered. */
@NullMarked
package dev.onlyonce;

import org.jspecify.annotations.NullMarked;
