package dev.onlyonce.bench;

import java.io.IOException;

/** A memory on a disk with the folder that it is in, which is deleted with it. */
record DurableMemory(Folder folder, Memory memory) implements AutoCloseable {

  /** Makes the one of that name with nothing in it. */
  static DurableMemory named(String name) throws Exception {
    Folder folder = Folder.create();
    return new DurableMemory(folder, Memory.durable(name, folder.path()));
  }

  /** Handles this many keys, so many a call; returns how many were new. */
  long add(int keys, int batch) {
    long added = 0;
    for (int i = 0; i < keys; i += batch) {
      added += memory.handle(MessageKeys.range(i, batch));
    }
    return added;
  }

  @Override
  public void close() throws IOException {
    memory.close();
    folder.close();
  }
}
