import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { envelope } from '../support/envelopes.js';
import { eventually } from '../support/eventually.js';
import { type Answer, freshTenant, type Http } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { keyed } from './edge-kit.js';

// A client with its own socket, so that it can leave while the service works.

const EVENTS = 3_000;
const EVENTS_A_REQUEST = 500;
const SCOPES = ['events:read', 'events:write', 'graph:read', 'graph:query'];

let service: WholeService;
let http: Http;

beforeAll(async () => {
  service = await startWholeService({ SERVICE_RATE_LIMIT_PER_MINUTE: '0' });
  ({ http } = await freshTenant(service.operator, SCOPES));
  for (let from = 0; from < EVENTS; from += EVENTS_A_REQUEST) {
    const { status, text } = await http.post('/v1/events', batchOf('read', from));
    if (status !== 200) throw new Error(text);
  }
}, 300_000);
afterAll(() => service.stop());

const batchOf = (name: string, from = 0) => ({
  events: Array.from({ length: EVENTS_A_REQUEST }, (_, n) => envelope(`${name}-${from + n}`)),
});

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends a request over a new connection. Resolves when all its bytes are with the system. */
function send(client: Http, { method = 'GET', path, headers = {}, body }: Sent, part = 1): Promise<Socket> {
  const { hostname, port } = new URL(client.url);
  const bytes = body === undefined ? '' : JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    `X-Api-Key: ${client.key}`,
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(bytes)}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ].join('\r\n');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.once('error', reject);
    socket.write(`${head}\r\n\r\n${bytes.slice(0, Math.floor(bytes.length * part))}`, () => resolve(socket));
  });
}

/** Leaves in the middle of the answer: before its head, or after its first bytes. */
async function leave(asked: Sent, when: 'before the answer' | 'within the answer'): Promise<void> {
  const socket = await send(http, asked);
  if (when === 'within the answer') await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
}

/** Reads that stopped, in an area. */
async function stoppedIn(area: string): Promise<number> {
  const { text } = await service.operator.get('/metrics', { authorization: `Bearer ${service.operator.key}` });
  return Number(new RegExp(`^eas_reads_stopped_total\\{area="${area}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

const NOTHING = { charge: { at_least: '999999.00' } };

const READS: readonly (Sent & {
  readonly name: string;
  readonly area: string;
  readonly when: Parameters<typeof leave>[1];
  readonly whole: (answer: Answer) => unknown;
})[] = [
  {
    name: 'a ledger verification',
    area: 'ledger',
    when: 'before the answer',
    path: '/v1/ledger/verify?source_system=um-core',
    whole: ({ json }) => expect(json).toMatchObject({ checked: EVENTS, breaks: [] }),
  },
  {
    name: 'an export of the graph',
    area: 'graph',
    when: 'within the answer',
    path: '/v1/graph/export',
    whole: ({ json }) => expect(json.nodes.length).toBeGreaterThan(EVENTS),
  },
  {
    name: 'a query over many pages',
    area: 'graphql',
    when: 'before the answer',
    method: 'POST',
    path: '/graphql',
    body: {
      query: 'query ($filter: EventFilterInput) { eventConnection(first: 5, filter: $filter) { totalCount } }',
      variables: { filter: NOTHING },
    },
    whole: ({ json }) => expect(json).toMatchObject({ data: { eventConnection: {} } }),
  },
];

describe('a client that leaves', () => {
  it.each(READS)('stops $name, and a later request gets the whole answer', async ({ area, when, whole, ...asked }) => {
    await graphIsRead();
    const before = await stoppedIn(area);
    await leave(asked, when);
    expect(
      await eventually(
        () => stoppedIn(area),
        (count) => count > before,
      ),
    ).toBe(before + 1);
    const answer = await http.call(asked.path, asked);
    expect(answer.status).toBe(200);
    whole(answer);
    expect(await stoppedIn(area)).toBe(before + 1);
  });

  it('leaves its batch stored whole', async () => {
    const { http: writer } = await freshTenant(service.operator, SCOPES);
    const socket = await send(writer, { method: 'POST', path: '/v1/events', body: batchOf('write') });
    socket.destroy();
    expect(
      await eventually(
        () => storedBy(writer),
        (count) => count >= EVENTS_A_REQUEST,
      ),
    ).toBe(EVENTS_A_REQUEST);
  });

  it('leaves nothing of a batch that it sent in part', async () => {
    const { http: writer } = await freshTenant(service.operator, SCOPES);
    const socket = await send(writer, { method: 'POST', path: '/v1/events', body: batchOf('part') }, 0.5);
    socket.destroy();
    await writer.post('/v1/events', envelope('after'));
    expect(await storedBy(writer)).toBe(1);
  });

  it('finds the answer of its keyed write when it sends it again', async () => {
    const { http: writer } = await freshTenant(service.operator, SCOPES);
    const asked = { method: 'POST', path: '/v1/events', body: batchOf('keyed'), headers: keyed() };
    (await send(writer, asked)).destroy();
    expect(
      await eventually(
        () => storedBy(writer),
        (count) => count >= EVENTS_A_REQUEST,
      ),
    ).toBe(EVENTS_A_REQUEST);
    const again = await eventually(
      () => writer.call(asked.path, asked),
      ({ status }) => status !== 409,
    );
    expect(again.json).toMatchObject({ accepted: EVENTS_A_REQUEST });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await storedBy(writer)).toBe(EVENTS_A_REQUEST);
  });
});

/** The length of the chain. */
async function storedBy(writer: Http): Promise<number> {
  const { json } = await writer.get('/v1/ledger/partitions');
  const own = json.items.filter(({ source_system }: { source_system: string }) => source_system === 'um-core');
  return own[0]?.sequence ?? 0;
}

/** The export has every event once the graph has followed the ledger. */
async function graphIsRead(): Promise<void> {
  const read = () => http.get(`/v1/graph/neighbors?node=member:M-read-${EVENTS - 1}`);
  await eventually(read, ({ status }) => status === 200);
}
