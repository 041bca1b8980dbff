/** Examines stores: what is unsafe about them, and what must be done after a restore. */
@NullMarked
package dev.onlyonce.app.doctor;

import org.jspecify.annotations.NullMarked;
