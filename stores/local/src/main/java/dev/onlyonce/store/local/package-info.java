/**
 * {@link dev.onlyonce.store.local.LocalStore}: claims in a directory of this machine, durable
 * before they are answered.
 */
package dev.onlyonce.store.local;
