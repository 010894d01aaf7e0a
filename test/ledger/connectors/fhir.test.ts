import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { eventsOf, makeConnector, read, runConnector, until } from './connectors-kit.js';

let service: WholeService;
let http: Http;

beforeAll(async () => {
  service = await startWholeService({
    SERVICE_CONNECTOR_ALLOW_HTTP: 'true',
    SERVICE_CONNECTOR_ALLOW_CIDRS: '127.0.0.1/32',
  });
  ({ http } = await freshTenant(service.operator, ['admin']));
});

afterAll(() => service.stop());

const FHIR = { 'content-type': 'application/fhir+json' };

/** A synthetic answer to a prior authorization. */
const response = (id: string, lastUpdated = '2026-03-02T12:00:00.000Z') => ({
  resourceType: 'ClaimResponse',
  id,
  meta: { versionId: '1', lastUpdated },
  status: 'active',
  type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/claim-type', code: 'professional' }] },
  use: 'preauthorization',
  patient: { identifier: { type: { coding: [{ code: 'MB' }] }, value: `SYN-${id}` } },
  created: '2026-03-01',
  insurer: { display: 'Plan' },
  outcome: 'complete',
  preAuthRef: `PA-${id}`,
});

describe('the FHIR endpoint of a connector', () => {
  const endpoint = (source_system: string) =>
    runConnector(http, { kind: 'FHIR', source_system, config: { transport: 'ENDPOINT' } });

  it('answers a new resource with 201 and a duplicate with 200, as OperationOutcomes', async () => {
    const { connector_id } = await endpoint('fhir-one');
    const path = `/v1/connectors/${connector_id}/fhir`;
    const first = await http.post(path, JSON.stringify(response('R1')), FHIR);
    expect(first.json).toMatchObject({ resourceType: 'OperationOutcome' });
    expect([first.status, first.headers.get('content-type')]).toEqual([201, 'application/fhir+json; charset=utf-8']);
    const again = await http.post(path, JSON.stringify(response('R1')), FHIR);
    expect([again.status, again.json.resourceType]).toEqual([200, 'OperationOutcome']);
    expect(await eventsOf(http, 'source_system=fhir-one')).toHaveLength(1);
    const told = await read(http, connector_id);
    expect(told.counters).toMatchObject({ messages: 2, accepted: 1, duplicated: 1 });
  });

  it('answers a transaction with one response per entry', async () => {
    const { connector_id } = await endpoint('fhir-two');
    const bundle = {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: ['T1', 'T2'].map((id) => ({
        resource: response(id),
        request: { method: 'PUT', url: `ClaimResponse/${id}` },
      })),
    };
    const answer = await http.post(`/v1/connectors/${connector_id}/fhir`, JSON.stringify(bundle), FHIR);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ resourceType: 'Bundle', type: 'transaction-response' });
    expect(answer.json.entry.map((one: { response: { status: string } }) => one.response.status)).toEqual([
      '201 Created',
      '201 Created',
    ]);
  });

  it('replays the same answer under an Idempotency-Key', async () => {
    const { connector_id } = await endpoint('fhir-keyed');
    const headers = { ...FHIR, 'idempotency-key': '01JQ0000000000000000000042' };
    const send = () => http.post(`/v1/connectors/${connector_id}/fhir`, JSON.stringify(response('K1')), headers);
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
  });

  it.each<[string, string, number]>([
    ['no JSON', 'nonsense', 400],
    ['nothing', '', 400],
    ['a resource that is none', '{"resourceType":"Nonsense","id":"x"}', 422],
  ])('rejects %s as a FHIR server does', async (_what, body, status) => {
    const { connector_id } = await endpoint('fhir-faults');
    const answer = await http.post(`/v1/connectors/${connector_id}/fhir`, body, FHIR);
    expect([answer.status, answer.json.resourceType]).toEqual([status, 'OperationOutcome']);
    expect(answer.json.issue.length).toBeGreaterThan(0);
  });

  it('exists only for an enabled endpoint', async () => {
    const { connector_id } = await endpoint('fhir-closed');
    await http.post(`/v1/connectors/${connector_id}/disable`, {});
    const closed = await http.post(`/v1/connectors/${connector_id}/fhir`, JSON.stringify(response('C1')), FHIR);
    expect([closed.status, closed.json.issue[0].code]).toEqual([409, 'conflict']);
    const listener = await makeConnector(http, { kind: 'HL7V2', config: { transport: 'MLLP' } });
    const other = await http.post(`/v1/connectors/${listener.connector_id}/fhir`, '{}', FHIR);
    expect([other.status, other.json.resourceType]).toEqual([404, 'OperationOutcome']);
  });
});

type Served = ReturnType<typeof response>;

/** A FHIR server of a test: searches by _lastUpdated, in pages of two. */
class FhirServer {
  readonly resources: Served[] = [];
  readonly asked: { readonly path: string; readonly authorization: string | undefined }[] = [];
  /** What the next request is answered with in place of a page. */
  trouble: { status: number; headers?: Record<string, string> } | null = null;
  foreignLinks = false;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, answer) => this.#answer(request, answer));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #answer(request: IncomingMessage, answer: ServerResponse): void {
    const url = new URL(request.url ?? '/', this.url);
    this.asked.push({ path: `${url.pathname}${url.search}`, authorization: request.headers.authorization });
    const { trouble } = this;
    if (trouble) {
      this.trouble = null;
      answer.writeHead(trouble.status, trouble.headers).end();
      return;
    }
    const body = url.pathname.endsWith('/metadata') ? { resourceType: 'CapabilityStatement' } : this.#page(url);
    answer.writeHead(200, { 'content-type': 'application/fhir+json' }).end(JSON.stringify(body));
  }

  #page(url: URL): unknown {
    const since = (url.searchParams.get('_lastUpdated') ?? 'ge').slice(2);
    const from = Number(url.searchParams.get('from') ?? 0);
    const found = this.resources
      .filter(({ meta }) => meta.lastUpdated >= since)
      .sort((a, b) => (a.meta.lastUpdated < b.meta.lastUpdated ? -1 : 1));
    url.searchParams.set('from', String(from + 2));
    const next = this.foreignLinks ? 'http://elsewhere.invalid/page' : url.href;
    return {
      resourceType: 'Bundle',
      type: 'searchset',
      total: found.length,
      link: from + 2 < found.length ? [{ relation: 'next', url: next }] : [],
      entry: found.slice(from, from + 2).map((resource) => ({ resource, search: { mode: 'match' } })),
    };
  }
}

describe('a poller of a FHIR server', () => {
  const servers: FhirServer[] = [];
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  const served = async (count: number): Promise<FhirServer> => {
    const server = new FhirServer();
    servers.push(server);
    for (let n = 1; n <= count; n++) server.resources.push(response(`P${n}`, `2026-03-02T12:00:0${n}.000Z`));
    await server.start();
    return server;
  };
  const poll = (server: FhirServer, source_system: string, config: Readonly<Record<string, unknown>> = {}) =>
    runConnector(http, {
      kind: 'FHIR',
      source_system,
      config: {
        transport: 'POLL',
        base_url: `${server.url}/r4`,
        resource_types: ['ClaimResponse'],
        poll_seconds: 1,
        ...config,
      },
    });
  const taken = (source_system: string, count: number) =>
    until(async () => {
      const events = await eventsOf(http, `source_system=${source_system}`);
      return events.length >= count && events;
    }, `${count} events of ${source_system}`);

  it('ingests every page, then new resources, and adds nothing for repeated ones', async () => {
    const server = await served(5);
    const { connector_id } = await poll(server, 'poll-one');
    expect(await taken('poll-one', 5)).toHaveLength(5);
    server.resources.push(response('P9', '2026-03-02T12:00:09.000Z'));
    await taken('poll-one', 6);
    // The poll continues at the last place; the resources there are read again and add nothing.
    await until(async () => server.asked.at(-1)?.path.includes('ge2026-03-02T12%3A00%3A09.000Z'), 'the next turn');
    const asked = server.asked.length;
    await until(async () => server.asked.length > asked + 1, 'one more turn');
    expect(await eventsOf(http, 'source_system=poll-one')).toHaveLength(6);
    expect((await http.get('/v1/exceptions?kind=SOURCE_RECORD_CONFLICT')).json.items).toEqual([]);
    const told = await read(http, connector_id);
    expect(told).toMatchObject({ status: 'ENABLED', counters: { accepted: 6, rejected: 0 } });
  });

  it('continues from its position after it was disabled', async () => {
    const server = await served(3);
    const { connector_id } = await poll(server, 'poll-again');
    await taken('poll-again', 3);
    await http.post(`/v1/connectors/${connector_id}/disable`, {});
    await until(async () => (await read(http, connector_id)).status === 'DISABLED', 'its end');
    await until(async () => {
      const before = server.asked.length;
      await new Promise((resolve) => setImmediate(resolve));
      return server.asked.length === before;
    }, 'silence');
    const before = server.asked.length;
    await http.post(`/v1/connectors/${connector_id}/enable`, {});
    await until(async () => server.asked.length > before, 'a question');
    expect(server.asked[before]?.path).toContain('ge2026-03-02T12%3A00%3A03.000Z');
  });

  it('sends its secret only to the configured server', async () => {
    const server = await served(1);
    const made = await poll(server, 'poll-secret', { authorization: 'BEARER', token: 'a-secret-of-the-server' });
    await taken('poll-secret', 1);
    expect(server.asked[0]?.authorization).toBe('Bearer a-secret-of-the-server');
    expect(made.secrets).toEqual(['token']);
    const shown = await http.get(`/v1/connectors/${made.connector_id}`);
    expect(shown.text).not.toContain('a-secret-of-the-server');
    const tried = await http.post(`/v1/connectors/${made.connector_id}/test`, {});
    expect(tried.json).toMatchObject({ ok: true, checks: [{ name: 'server', ok: true }] });
    const changed = await http.call(`/v1/connectors/${made.connector_id}`, {
      method: 'PATCH',
      body: { config: { authorization: 'BASIC', username: 'u', password: 'p', token: null } },
    });
    expect(changed.json.secrets).toEqual(['password']);
    await until(async () => server.asked.at(-1)?.authorization === `Basic ${btoa('u:p')}`, 'the other secret');
  });

  it('waits as long as the server asks and reports the reason', async () => {
    const server = await served(1);
    server.trouble = { status: 429, headers: { 'retry-after': '3' } };
    const { connector_id } = await makeConnector(http, {
      kind: 'FHIR',
      source_system: 'poll-told',
      config: { transport: 'POLL', base_url: server.url, resource_types: ['ClaimResponse'], poll_seconds: 1 },
    });
    await http.post(`/v1/connectors/${connector_id}/enable`, {});
    const told = await until(async () => {
      const found = await read(http, connector_id);
      return found.status === 'ERROR' && found;
    }, 'the error');
    expect(told.last_error).toMatchObject({ code: 'HTTP_429' });
    const askedAt = Date.now();
    await taken('poll-told', 1);
    expect(server.asked).toHaveLength(2);
    expect(Date.now() - askedAt).toBeGreaterThan(500);
    await until(async () => (await read(http, connector_id)).status === 'ENABLED', 'recovery');
  });

  it('does not follow a next page on another server', async () => {
    const server = await served(5);
    server.foreignLinks = true;
    const { connector_id } = await poll(server, 'poll-foreign');
    const told = await until(async () => {
      const found = await read(http, connector_id);
      return found.last_error && found;
    }, 'its trouble');
    expect(told.last_error).toMatchObject({ code: 'FOREIGN_LINK' });
  });

  it('does not poll a server that the deployment forbids', async () => {
    const refused = await http.post('/v1/connectors', {
      kind: 'FHIR',
      name: 'metadata of a cloud',
      source_system: 'cloud',
      config: { transport: 'POLL', base_url: 'http://169.254.169.254/latest', resource_types: ['Claim'] },
    });
    expect(refused).toMatchObject({ status: 400, json: { errors: [{ path: '/config/base_url', code: 'address' }] } });
  });
});
