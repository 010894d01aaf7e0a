import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

// A collector of OTLP over http/protobuf, with a reader of the few messages that the tests look at (opentelemetry-proto,
// trace/v1 and metrics/v1).

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

export interface Collector {
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  readonly metricNames: ReadonlySet<string>;
  /** All bytes that came. */
  readonly text: () => string;
  readonly headers: ReadonlySet<string>;
  stop(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const metricNames = new Set<string>();
  const headers = new Set<string>();
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      bodies.push(body);
      headers.add(String(request.headers['x-test']));
      if (request.url?.endsWith('/v1/traces')) spans.push(...spansIn(body));
      if (request.url?.endsWith('/v1/metrics')) for (const name of namesIn(body)) metricNames.add(name);
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address with a port.
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/otlp`;
  return {
    endpoint,
    spans,
    metricNames,
    headers,
    text: () => Buffer.concat(bodies).toString('latin1'),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}

type Field = readonly [number: number, value: Buffer | bigint];

/** The fields of a message: bytes, or the number of a varint or fixed64. */
function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [number, wireType] = [tag >>> 3, tag & 7];
    if (wireType === 0) yield [number, varint()];
    else if (wireType === 2) {
      const length = Number(varint());
      yield [number, bytes.subarray(at, at + length)];
      at += length;
    } else if (wireType === 1) {
      yield [number, bytes.readBigUInt64LE(at)];
      at += 8;
    } else if (wireType === 5) {
      yield [number, BigInt(bytes.readUInt32LE(at))];
      at += 4;
    } else throw new Error(`a field has the unknown wire type ${wireType}`);
  }
}

const messages = (bytes: Buffer, wanted: number): Buffer[] =>
  [...fieldsOf(bytes)].flatMap(([number, value]) => (number === wanted && Buffer.isBuffer(value) ? [value] : []));

const spansIn = (body: Buffer): ReceivedSpan[] =>
  messages(body, 1)
    .flatMap((resource) => messages(resource, 2))
    .flatMap((scope) => messages(scope, 2))
    .map((span) => ({
      traceId: messages(span, 1)[0]?.toString('hex') ?? '',
      spanId: messages(span, 2)[0]?.toString('hex') ?? '',
      parentId: messages(span, 4)[0]?.toString('hex') ?? '',
      name: messages(span, 5)[0]?.toString() ?? '',
      attributes: Object.fromEntries(messages(span, 9).map(attributeOf)),
    }));

function attributeOf(bytes: Buffer): [string, string | number | boolean] {
  const name = messages(bytes, 1)[0]?.toString() ?? '';
  const [value] = messages(bytes, 2).flatMap((any) => [...fieldsOf(any)]);
  const [kind, content] = value ?? [];
  if (Buffer.isBuffer(content)) return [name, content.toString()];
  return [name, kind === 2 ? content === 1n : Number(content)];
}

const namesIn = (body: Buffer): string[] =>
  messages(body, 1)
    .flatMap((resource) => messages(resource, 2))
    .flatMap((scope) => messages(scope, 2))
    .flatMap((metric) => messages(metric, 1).map(String));
