/**
 * {@link dev.onlyonce.testkit.process.WorkerProcess} is a worker in a JVM of its own, which a test
 * can kill and stop; {@link dev.onlyonce.testkit.process.TcpFaultProxy} breaks its network.
 */
@NullMarked
package dev.onlyonce.testkit.process;

import org.jspecify.annotations.NullMarked;
