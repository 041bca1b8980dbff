/**
 * {@link dev.onlyonce.testkit.process.WorkerProcess} is a worker in a JVM of its own, which a test
 * can kill and stop; {@link dev.onlyonce.testkit.process.TcpFaultProxy} breaks its network. {@link
 * dev.onlyonce.testkit.process.RenewalRules} are tests of any store whose connections stall.
 *
 * <pre>{@code
 * try (WorkerProcess worker = WorkerProcess.of(Worker.class).arguments(file, "w-1").start()) {
 *   worker.awaitLine("claimed", GUARD);
 *   worker.suspend(); // longer than its lease, while another worker takes over
 *   worker.resume();
 *   worker.awaitLine("lost", GUARD);
 * }
 * HistoryReport report = HistoryChecker.check(HistoryFile.read(file));
 * assertThat(report.isClean()).as("%s", report).isTrue();
 * }</pre>
 */
@NullMarked
package dev.onlyonce.testkit.process;

import org.jspecify.annotations.NullMarked;
