import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { benchEnvelope } from '../support/events.js';
import { atMost, describeRun, type Results, timed } from '../support/measure.js';
import { residentKb, restPeak } from '../support/resident.js';
import type { Stack } from '../support/stack.js';

const IDLE = 2_000;
const SLOW = 500;
/** More at once overflow the queue of the listener. */
const OPENED_AT_ONCE = 100;
const SLOW_BODY_BYTES = 1_000_000;
const SLOW_PIECE = '"aaaaaaaa",';
const SLOW_PERIOD_MS = 1_000;
const UPLOADS = 64;
const UPLOAD_MEGABYTES = Number(process.env['UPLOAD_MEGABYTES'] ?? 50);
const SINGLES = 2_000;
const CALLERS = 8;
const CHAIN = 'connections';
const KB_OF_MEGABYTE = 1_024;

/** Opens this many connections, a group at a time, each with its first bytes. */
async function opened(url: string, count: number, first: string): Promise<readonly Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const group = Array.from(
      { length: Math.min(OPENED_AT_ONCE, count - sockets.length) },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(Number(port), hostname, () => socket.write(first, () => resolve(socket)));
          socket.once('error', reject);
        }),
    );
    sockets.push(...(await Promise.all(group)));
  }
  // What the service does with a connection later is counted, not thrown.
  for (const socket of sockets) socket.on('error', () => undefined).resume();
  return sockets;
}

const stillOpen = (sockets: readonly Socket[]): number => sockets.filter((socket) => !socket.destroyed).length;

/** Measures the growth of the service's memory by the load alone, then single events during the load. */
async function underLoad(stack: Stack, load: () => Promise<Load>): Promise<Measured> {
  const pid = stack.processes['service'] ?? 0;
  const before = await restPeak(pid);
  const grown = async (): Promise<number> => ((await residentKb(pid, 'VmHWM')) - before) / KB_OF_MEGABYTE;
  const { lines, close } = await load();
  const growth = await grown();
  const run = await timed(SINGLES, CALLERS, async () => {
    await stack.rest.post('/v1/events', JSON.stringify(benchEnvelope(sent++, CHAIN)));
    return 1;
  });
  const said = [...lines(), describeRun(`single events meanwhile, ${CALLERS} callers`, run)];
  close();
  return { growth, lines: [...said, `${Math.round(await grown())} MB with these events`] };
}

let sent = 0;

interface Load {
  readonly lines: () => readonly string[];
  readonly close: () => void;
}

interface Measured {
  readonly growth: number;
  readonly lines: readonly string[];
}

async function idleLoad({ url }: Stack): Promise<Load> {
  const sockets = await opened(url, IDLE, `GET /v1/healthz HTTP/1.1\r\nhost: ${new URL(url).host}\r\n\r\n`);
  return {
    lines: () => [`${stillOpen(sockets)} of ${IDLE} connections are open after one answer each`],
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function slowLoad({ url, rest }: Stack): Promise<Load> {
  const head = [
    'POST /v1/events HTTP/1.1',
    `host: ${new URL(url).host}`,
    ...Object.entries(rest.headers).map(([name, value]) => `${name}: ${value}`),
    'content-type: application/json',
    `content-length: ${SLOW_BODY_BYTES}`,
  ].join('\r\n');
  const sockets = await opened(url, SLOW, `${head}\r\n\r\n[`);
  const drip = setInterval(() => {
    for (const socket of sockets) if (!socket.destroyed) socket.write(SLOW_PIECE);
  }, SLOW_PERIOD_MS);
  return {
    lines: () => [`${stillOpen(sockets)} of ${SLOW} connections are sending ${SLOW_PIECE.length} bytes a second`],
    close: () => {
      clearInterval(drip);
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function uploads(stack: Stack): Promise<Measured> {
  const pid = stack.processes['service'] ?? 0;
  const before = await restPeak(pid);
  const run = await timed(UPLOADS, UPLOADS, async (n) => {
    await stack.rest.post('/v1/documents', Readable.from(formOf(n)), `multipart/form-data; boundary=${BOUNDARY}`);
    return 1;
  });
  const growth = ((await residentKb(pid, 'VmHWM')) - before) / KB_OF_MEGABYTE;
  const rate = (UPLOADS * UPLOAD_MEGABYTES) / run.seconds;
  return { growth, lines: [`${UPLOADS} uploads of ${UPLOAD_MEGABYTES} MB at once, ${Math.round(rate)} MB a second`] };
}

const BOUNDARY = 'bench-boundary';
const PIECE_BYTES = 65_536;

/** A form with one file of text; `n` makes its bytes unlike any other's. */
function* formOf(n: number): Generator<Buffer> {
  const field = (name: string, value: string): string =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  yield Buffer.from(
    `${field('document_type', 'other')}--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${n}.txt"\r\ncontent-type: text/plain\r\n\r\n`,
  );
  const line = Buffer.alloc(PIECE_BYTES, `document ${n} of the bench\n`);
  for (let bytes = 0; bytes < UPLOAD_MEGABYTES * 1_000_000; bytes += PIECE_BYTES) yield line;
  yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
}

/** Measures what many connections cost: idle ones, ones with slow bodies, and parallel uploads. */
export async function benchConnections(stack: Stack): Promise<Results> {
  await timed(SINGLES, CALLERS, async () => {
    await stack.rest.post('/v1/events', JSON.stringify(benchEnvelope(sent++, CHAIN)));
    return 1;
  });
  const idle = await underLoad(stack, () => idleLoad(stack));
  const slow = await underLoad(stack, () => slowLoad(stack));
  const parallel = await uploads(stack);
  return [
    atMost(`Memory of ${IDLE} idle connections`, 'MB', 150, [idle.growth], idle.lines),
    atMost(`Memory of ${SLOW} slow bodies`, 'MB', 150, [slow.growth], slow.lines),
    atMost(`Memory of ${UPLOADS} parallel uploads`, 'MB', 500, [parallel.growth], parallel.lines),
  ];
}
