import { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { ArchiveEntry } from '../../shared/zip/write-archive.js';

/** What yazl has beyond its published types. */
interface LazyZip {
  readonly outputStream: PassThrough;
  addReadStreamLazy(
    path: string,
    options: object,
    open: (ready: (error: Error | null, stream: Readable) => void) => void,
  ): void;
  addBuffer(content: Buffer, path: string, options: object): void;
  end(): void;
  on(event: 'error', listener: (error: Error) => void): void;
}

// evidence.md section 5: STORE, a fixed time in the machine's time zone, which yazl reads in that zone, mode 0644, no extra
// field but ZIP64's. The same entries give the same bytes on any machine.
const OPTIONS = () => ({ compress: false, mode: 0o100644, mtime: new Date(1980, 0, 1), forceDosTimestamp: true });

/** yazl takes buffers of at most 1 GiB. */
const MOST_BUFFER_BYTES = 0x3fffffff;

/** The ZIP of these entries as yazl writes it: what the service's own writer is held against. */
export async function* yazlOf(entries: readonly ArchiveEntry[]): AsyncGenerator<Buffer> {
  const zip = new ZipFile() as unknown as LazyZip;
  const output = zip.outputStream;
  let current: Readable | undefined;
  zip.on('error', (error) => output.destroy(error));
  for (const { path, size, content } of entries) {
    if (Buffer.isBuffer(content) && content.length <= MOST_BUFFER_BYTES) {
      zip.addBuffer(content, path, OPTIONS());
      continue;
    }
    zip.addReadStreamLazy(path, { ...OPTIONS(), size }, (ready) => {
      current = Readable.from(Buffer.isBuffer(content) ? [content] : content(), { objectMode: false });
      current.on('error', (error) => output.destroy(error));
      ready(null, current);
    });
  }
  zip.end();
  try {
    for await (const chunk of output) yield chunk as Buffer;
  } finally {
    current?.destroy();
    output.destroy();
  }
}
