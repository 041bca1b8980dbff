/**
 * What an operator sees of the keys of a store, and does about them: {@link
 * dev.onlyonce.app.claims.Lookup} and {@link dev.onlyonce.app.claims.Listing} find records, {@link
 * dev.onlyonce.app.claims.RecordText} and {@link dev.onlyonce.app.claims.RecordJson} show them,
 * {@link dev.onlyonce.app.claims.Operator} acts on them as {@link dev.onlyonce.app.claims.Action}
 * allows.
 */
@NullMarked
package dev.onlyonce.app.claims;

import org.jspecify.annotations.NullMarked;
