package dev.onlyonce.testkit.process;

import dev.onlyonce.spi.Time;
import dev.onlyonce.testkit.process.TcpFaultProxy.Ending;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * One direction of one connection: reads pieces from its source, holds them back as the faults say,
 * and writes them to its receiver. Belongs to the thread of the proxy.
 *
 * <p>The end of the source is a piece, too, so that it keeps its place behind the bytes. Methods
 * that may bring the whole connection to its end return how, or null if it goes on.
 */
final class ProxyPipe {
  static final int HELD_LIMIT_BYTES = 262_144;
  static final int PIECE_BYTES = 16_384;

  /** Bytes, or the end of the source; and when it may go. */
  private static final class Piece {
    final ByteBuffer bytes;
    final @Nullable Ending end;
    long releaseNanos;

    Piece(ByteBuffer bytes, @Nullable Ending end, long releaseNanos) {
      this.bytes = bytes;
      this.end = end;
      this.releaseNanos = releaseNanos;
    }
  }

  private final ProxyFaults faults;
  private final SocketChannel source;
  private final SocketChannel receiver;
  private final long connection;
  private final Deque<Piece> held = new ArrayDeque<>();

  private long heldBytes;
  private long countedBytes;
  private long pieces;
  private long lastReleaseNanos;
  private boolean sourceEnded;
  private boolean sourceBroken;
  private boolean receiverEnded;
  private boolean blocked;
  private boolean holed;
  private boolean finished;

  ProxyPipe(ProxyFaults faults, SocketChannel source, SocketChannel receiver, long connection) {
    this.faults = faults;
    this.source = source;
    this.receiver = receiver;
    this.connection = connection;
    lastReleaseNanos = Time.system().nanoTime();
  }

  boolean wantsToRead() {
    return !sourceEnded && heldBytes < HELD_LIMIT_BYTES;
  }

  boolean wantsToWrite() {
    return blocked;
  }

  boolean follows(ProxyFaults ofDirection) {
    return faults == ofDirection;
  }

  /** Whether nothing will come any more and the receiver knows. */
  boolean isFinished() {
    return finished;
  }

  /** Whether the receiver missed something in the middle. */
  boolean isHoled() {
    return holed;
  }

  void startCounting() {
    countedBytes = 0;
  }

  /** Lets everything go that is held back, whatever it was to wait for. */
  void releaseAll(long nowNanos) {
    lastReleaseNanos = nowNanos;
    held.forEach(piece -> piece.releaseNanos = nowNanos);
  }

  /** How long this pipe waits until it is to be pumped again; MAX_VALUE if not for a time. */
  long waitNanos(long nowNanos) {
    Piece first = held.peekFirst();
    boolean waits = first != null && !blocked && !faults.isStalled();
    return waits ? Math.max(0, first.releaseNanos - nowNanos) : Long.MAX_VALUE;
  }

  /** Reads once. The buffer is the caller's to use again. */
  void read(ByteBuffer buffer, long nowNanos) {
    buffer.clear().limit(faults.pieceBytes(PIECE_BYTES));
    int length;
    try {
      length = source.read(buffer);
    } catch (IOException e) {
      sourceBroken = true;
      length = -1;
    }
    if (length < 0) {
      sourceEnded = true;
      hold(ByteBuffer.allocate(0), sourceBroken ? Ending.RST : Ending.FIN, nowNanos);
    } else if (length > 0) {
      faults.received(length);
      heldBytes += length;
      hold(ByteBuffer.allocate(length).put(buffer.flip()).flip(), null, nowNanos);
    }
  }

  private void hold(ByteBuffer bytes, @Nullable Ending end, long nowNanos) {
    int length = bytes.remaining();
    lastReleaseNanos =
        faults.releaseNanos(nowNanos, lastReleaseNanos, length, connection, pieces++);
    held.addLast(new Piece(bytes, end, lastReleaseNanos));
  }

  /** Passes on what may go now. */
  @Nullable Ending pump(ProxyPipe opposite, long nowNanos) {
    blocked = false;
    for (Piece piece = held.peekFirst(); piece != null; piece = held.peekFirst()) {
      if (receiverEnded || faults.isLosing()) {
        swallow(piece);
      } else if (faults.isStalled() || piece.releaseNanos - nowNanos > 0) {
        return null;
      } else if (piece.end == Ending.RST) {
        return Ending.RST;
      } else if (piece.end == Ending.FIN) {
        endReceiver();
      } else {
        Ending ending = write(piece, opposite);
        if (ending != null || blocked) {
          return ending;
        }
      }
    }
    return null;
  }

  private void swallow(Piece piece) {
    held.removeFirst();
    heldBytes -= piece.bytes.remaining();
    faults.lost(piece.bytes.remaining());
    if (piece.end != null && receiverEnded) {
      finished = true;
    } else {
      holed = true;
    }
  }

  private @Nullable Ending write(Piece piece, ProxyPipe opposite) {
    long allowed = faults.bytesUntilCut(countedBytes);
    ByteBuffer bytes = piece.bytes;
    int end = bytes.limit();
    bytes.limit(bytes.position() + (int) Math.min(bytes.remaining(), allowed));
    try {
      int length = receiver.write(bytes);
      countedBytes += length;
      heldBytes -= length;
      faults.forwarded(length);
    } catch (IOException e) {
      receiverEnded = true;
      return opposite.sourceIsBroken();
    } finally {
      bytes.limit(end);
    }
    if (faults.bytesUntilCut(countedBytes) == 0) {
      return faults.takeCut();
    }
    blocked = bytes.hasRemaining();
    if (!blocked) {
      held.removeFirst();
    }
    return null;
  }

  /** The source was found to be gone, which reading, if it is not over, will show, too. */
  private @Nullable Ending sourceIsBroken() {
    sourceBroken = true;
    return sourceEnded ? Ending.RST : null;
  }

  /** Gives up what is held back, for the connection is closed. */
  void drop() {
    faults.lost(heldBytes);
    heldBytes = 0;
    held.clear();
  }

  /** Tells the receiver that this was all; whatever comes after is swallowed. */
  void endReceiver() {
    if (!receiverEnded) {
      receiverEnded = true;
      try {
        receiver.shutdownOutput();
      } catch (IOException e) {
        holed = true; // the receiver is gone and cannot be told
      }
    }
  }
}
