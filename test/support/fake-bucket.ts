import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AskedObject, answerForBucket, answerForObject, FakeBuckets } from './fake-bucket-objects.js';

// A small server of S3 in this process: versions, delete markers, object lock, legal holds, uploads in parts, checksums. It checks
// no signature. Tests of the service run on it where no other server of buckets is installed.

/** An answer of the server. */
export interface BucketAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** Starts the server. */
export async function startFakeBucket(port: number): Promise<{ readonly stop: () => Promise<void> }> {
  const buckets = new FakeBuckets();
  const server = createServer((request, response) => void serve(buckets, request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { stop: () => stopped(server) };
}

async function stopped(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function serve(buckets: FakeBuckets, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // The client went away in the middle of its request: nothing is stored.
    return;
  }
  const { status, headers = {}, body = '' } = answerTo(buckets, request, Buffer.concat(chunks));
  const length = headers['content-length'] ?? String(Buffer.byteLength(body));
  response.writeHead(status, { ...headers, 'content-length': length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function answerTo(buckets: FakeBuckets, request: IncomingMessage, body: Buffer): BucketAnswer {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://bucket');
  const [bucket = '', ...rest] = pathname.slice(1).split('/').map(decodeURIComponent);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const asked: AskedObject = { method: request.method ?? '', bucket, key: rest.join('/'), query, headers, body };
  return asked.key === '' ? answerForBucket(buckets, asked) : answerForObject(buckets, asked);
}
