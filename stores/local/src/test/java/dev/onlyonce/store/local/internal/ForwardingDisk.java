package dev.onlyonce.store.local.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** A disk that does what another one does. */
class ForwardingDisk implements Disk {
  private final Disk disk;

  ForwardingDisk(Disk disk) {
    this.disk = disk;
  }

  static boolean isZero(ByteBuffer source) {
    for (int i = source.position(); i < source.limit(); i++) {
      if (source.get(i) != 0) {
        return false;
      }
    }
    return true;
  }

  void write(Data data, ByteBuffer source, long position) throws IOException {
    data.write(source, position);
  }

  void syncData(String unusedName, Data data) throws IOException {
    data.sync();
  }

  @Override
  public List<String> list() throws IOException {
    return disk.list();
  }

  @Override
  public Data open(String name) throws IOException {
    return new ForwardingData(name, disk.open(name));
  }

  @Override
  public long room() throws IOException {
    return disk.room();
  }

  @Override
  public Data create(String name) throws IOException {
    return new ForwardingData(name, disk.create(name));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    disk.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    disk.delete(name);
  }

  @Override
  public void sync() throws IOException {
    disk.sync();
  }

  private final class ForwardingData implements Data {
    private final String name;
    private final Data data;

    ForwardingData(String name, Data data) {
      this.name = name;
      this.data = data;
    }

    @Override
    public long size() throws IOException {
      return data.size();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      return data.read(target, position);
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      ForwardingDisk.this.write(data, source, position);
    }

    @Override
    public void sync() throws IOException {
      syncData(name, data);
    }

    @Override
    public void close() throws IOException {
      data.close();
    }
  }
}
