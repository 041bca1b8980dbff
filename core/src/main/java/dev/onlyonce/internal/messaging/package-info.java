/** What makes a consumer: not for others. */
@NullMarked
package dev.onlyonce.internal.messaging;

import org.jspecify.annotations.NullMarked;
