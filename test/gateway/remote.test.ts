import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { composeGraph } from '../../gateway/composition.js';
import { createExecutor } from '../../gateway/executor.js';
import { operationSpan } from '../../gateway/operation-span.js';
import { Breaker } from '../../gateway/remote/breaker.js';
import { Bulkhead } from '../../gateway/remote/bulkhead.js';
import { InternalTokens } from '../../shared/auth/internal-token.js';
import { systemClock } from '../../shared/clock/clock.js';
import { makeSpansWith, type SpanOptions } from '../../shared/telemetry/spans.js';
import { ManualClock, recordingLogger } from '../support/fakes.js';
import { contextWith, SECRET, serveTiny, sourceOver } from './remote-kit.js';
import { definition } from './tiny-subgraph.js';

const NOTE = '{ note(note_id: "n1") { note_id author payload } }';
const ECHO = 'mutation ($items: [JSON!]!) { echo(items: $items) }';
const closings: (() => Promise<unknown>)[] = [];
const closing = <T extends { close(): Promise<unknown> }>(thing: T): T => {
  closings.push(() => thing.close());
  return thing;
};

afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

/** A subgraph process that behaves as configured, and counts its requests. */
async function stub(behave: (request: IncomingMessage, response: ServerResponse, nth: number) => void) {
  let calls = 0;
  const server: Server = createServer((request, response) => {
    request.resume();
    behave(request, response, ++calls);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return closing({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls: () => calls, close });
}

const answerData = (response: ServerResponse): void => {
  response.end(JSON.stringify({ data: { note: { note_id: 'n1' } } }));
};

describe('a subgraph in another process', () => {
  it('continues the trace of its caller', async () => {
    const tiny = closing(await serveTiny());
    const source = closing(sourceOver([tiny.url]));
    const spans: Pick<SpanOptions, 'name' | 'kind' | 'parent'>[] = [];
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    makeSpansWith({
      run: ({ name, kind, parent }, work) => {
        spans.push({ name, kind: kind ?? 'internal', parent });
        return work({ set: () => undefined, traceparent });
      },
      bind: () => ({ record: () => undefined }),
    });
    try {
      await source.fetch(`query Read ${NOTE}`, {}, contextWith('events:read'));
    } finally {
      makeSpansWith(null);
    }
    expect(spans).toEqual([
      { name: 'query Read', kind: 'client', parent: undefined },
      { name: 'POST /graphql', kind: 'server', parent: traceparent },
      { name: 'query Read', kind: 'internal', parent: undefined },
    ]);
  });

  it.each([
    ['query Read($id: ID!) { x }', 'query Read'],
    ['mutation Write { x }', 'mutation Write'],
    ['query JohnDoe_M1001__members_graph__3 { x }', 'query planned members_graph'],
    [`query JohnDoe__${'M'.repeat(300)}__ledger__0 { x }`, 'query planned ledger'],
    ['{ x }', 'query unnamed'],
  ])('names the span of %j %s, without the name of an analyst’s query', (query, name) => {
    expect(operationSpan(query).name).toBe(name);
    expect(JSON.stringify(operationSpan(query))).not.toMatch(/JohnDoe|MMM/);
  });

  it('answers through the gateway like a local one, with JSON unchanged', async () => {
    const tiny = closing(await serveTiny());
    const source = closing(sourceOver([tiny.url]));
    const { supergraphSdl } = await composeGraph([definition]);
    const { logger } = recordingLogger();
    const operations = [
      { name: 'GetNote', document: 'query GetNote($id: String!) { note(note_id: $id) { note_id author payload } }' },
      { name: 'Echo', document: 'mutation Echo($items: [JSON!]!) { echo(items: $items) }' },
      { name: 'Fail', document: 'query Fail($how: String!) { fail(how: $how) }' },
    ];
    const executor = await createExecutor({
      supergraphSdl,
      operations,
      dataSources: new Map([['ledger', source]]),
      logger,
    });
    const reader = contextWith('events:read');
    const writer = contextWith('events:write');
    expect(await executor.run('GetNote', { id: 'n1' }, reader)).toEqual({
      note: { note_id: 'n1', author: null, payload: { kept: null } },
    });
    const items = [JSON.parse('{"__proto__":{"a":1},"constructor":null,"n":[1e21,-0.5,"\\ud800"]}') as unknown];
    expect(JSON.stringify(await executor.run('Echo', { items }, writer))).toBe(JSON.stringify({ echo: items }));
    await expect(executor.run('GetNote', { id: 'n1' }, writer)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(executor.run('Fail', { how: 'problem' }, reader)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'Said to the client.',
      details: { retryAfterSeconds: 7, extra: { accepted: 0 }, errors: [{ path: '/a', code: 'b', message: 'c' }] },
    });
    const unexpected = await executor.run('Fail', { how: 'leak' }, reader).catch((error: unknown) => error);
    expect(unexpected).toMatchObject({ code: 'INTERNAL' });
    expect(JSON.stringify(unexpected)).not.toContain('SECRET');
  });

  it.each([
    ['no token', undefined],
    ['a word', 'Internal nonsense'],
    [
      'a token of another secret',
      `Internal ${new InternalTokens('another-secret-0123456789-0123456789', systemClock).mint(contextWith('*'))}`,
    ],
    [
      'a token that has expired',
      `Internal ${new InternalTokens(SECRET, new ManualClock('2020-01-01T00:00:00Z')).mint(contextWith('*'))}`,
    ],
    ['an API key', 'Bearer eas_live_something'],
  ])('answers 401 to %s, before it reads the body', async (_, authorization) => {
    const tiny = closing(await serveTiny());
    const headers = { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) };
    const answer = await fetch(`${tiny.url}/graphql`, { method: 'POST', headers, body: '{ not json' });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('rejects a document outside its schema, an oversized body and invalid JSON', async () => {
    const tiny = closing(await serveTiny());
    const authorization = `Internal ${new InternalTokens(SECRET, systemClock).mint(contextWith('*'))}`;
    const send = async (body: string) => {
      const headers = { 'content-type': 'application/json', authorization };
      const answer = await fetch(`${tiny.url}/graphql`, { method: 'POST', headers, body });
      return [answer.status, ((await answer.json()) as { code?: string }).code];
    };
    expect(await send(JSON.stringify({ query: '{ nothing_of_the_kind }' }))).toEqual([500, 'INTERNAL']);
    expect(await send(JSON.stringify({ query: `{ a } #${'x'.repeat(70_000)}` }))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await send('{ not json')).toEqual([400, 'MALFORMED_BODY']);
    expect(await send('{"query":1}')).toEqual([400, 'MALFORMED_BODY']);
    expect((await fetch(`${tiny.url}/v1/healthz`)).status).toBe(200);
    expect((await fetch(`${tiny.url}/v1/healthz/ready`)).status).toBe(503);
  });

  it('receives a lost query once more, and never a lost mutation', async () => {
    const flaky = await stub((request, response, nth) => {
      if (nth % 2 === 1) request.socket.destroy();
      else answerData(response);
    });
    const source = closing(sourceOver([flaky.url]));
    expect(await source.fetch(NOTE, {}, contextWith('*'))).toMatchObject({ data: { note: { note_id: 'n1' } } });
    expect(flaky.calls()).toBe(2);
    const lost = await source.fetch(ECHO, { items: [] }, contextWith('*'));
    expect(lost.errors?.[0]?.extensions).toMatchObject({ code: 'UNAVAILABLE', retry_after_seconds: 1 });
    expect(flaky.calls()).toBe(3);
  });

  it('is replaced by the next process when a request never reached it, mutations included', async () => {
    const starting = closing(await serveTiny({ built: false }));
    const tiny = closing(await serveTiny());
    const dead = await stub(() => {});
    await dead.close();
    const source = closing(sourceOver([dead.url, starting.url, tiny.url]));
    for (let i = 0; i < 6; i++) {
      expect(await source.fetch(ECHO, { items: [i] }, contextWith('events:write'))).toMatchObject({
        data: { echo: [i] },
      });
    }
  });

  it('is UNAVAILABLE after the timeout, and at once while the breaker is open', async () => {
    const silent = await stub(() => {});
    const source = closing(sourceOver([silent.url], { timeoutMs: 100 }));
    for (let i = 0; i < 5; i++) {
      const answer = await source.fetch(ECHO, {}, contextWith('*'));
      expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'UNAVAILABLE' });
    }
    expect(silent.calls()).toBe(5);
    const atOnce = await source.fetch(NOTE, {}, contextWith('*'));
    expect(atOnce.errors?.[0]?.extensions).toMatchObject({ code: 'UNAVAILABLE', retry_after_seconds: 1 });
    expect(silent.calls()).toBe(5);
  });

  it('reports a rejected token as an internal error without details', async () => {
    const tiny = closing(await serveTiny());
    const source = closing(sourceOver([tiny.url], { secret: 'a-secret-of-somebody-else-0123456789' }));
    const answer = await source.fetch(NOTE, {}, contextWith('*'));
    expect(answer.errors?.[0]).toMatchObject({ extensions: { code: 'INTERNAL' } });
  });
});

describe('an internal token', () => {
  it('carries the whole context, and expires within a minute', () => {
    const clock = new ManualClock();
    const tokens = new InternalTokens(SECRET, clock);
    const context = contextWith('events:read', 'documents:unredacted');
    const token = tokens.mint(context);
    expect(tokens.verify(token)).toEqual(context);
    clock.advance(59_000);
    expect(tokens.verify(token)).toEqual(context);
    clock.advance(7_000);
    expect(tokens.verify(token)).toBeUndefined();
  });

  it('is invalid when any character is changed', () => {
    const tokens = new InternalTokens(SECRET, systemClock);
    const token = tokens.mint(contextWith('events:read'));
    for (let i = 0; i < token.length; i++) {
      const changed = `${token.slice(0, i)}${token[i] === 'A' ? 'B' : 'A'}${token.slice(i + 1)}`;
      // The last character of base64url may hold bits that no byte takes.
      if (
        Buffer.from(changed.slice(token.lastIndexOf('.') + 1), 'base64url').equals(signatureOf(token)) &&
        i >= token.lastIndexOf('.')
      )
        continue;
      expect(tokens.verify(changed)).toBeUndefined();
    }
  });
});

const signatureOf = (token: string): Buffer => Buffer.from(token.slice(token.lastIndexOf('.') + 1), 'base64url');

describe('a breaker', () => {
  it('opens after consecutive failures, allows one attempt after its pause, and closes when that succeeds', () => {
    const clock = new ManualClock();
    const breaker = new Breaker({ clock, failures: 2, openMs: 1_000 });
    breaker.failed();
    breaker.succeeded();
    breaker.failed();
    expect(breaker.admit()).toBe(true);
    breaker.failed();
    expect(breaker.admit()).toBe(false);
    expect(breaker.retryAfterMs).toBe(1_000);
    clock.advance(1_000);
    expect([breaker.admit(), breaker.admit()]).toEqual([true, false]);
    breaker.failed();
    expect(breaker.admit()).toBe(false);
    clock.advance(1_000);
    expect(breaker.admit()).toBe(true);
    breaker.succeeded();
    expect([breaker.admit(), breaker.admit()]).toEqual([true, true]);
  });
});

describe('a bulkhead', () => {
  it('runs a limited number of calls at once, queues a limited number in order, and rejects the next', async () => {
    const bulkhead = new Bulkhead(2, 1);
    const leave: (() => void)[] = [];
    const order: number[] = [];
    const task = (n: number) => () =>
      new Promise<number>((resolve) => {
        order.push(n);
        leave.push(() => resolve(n));
      });
    const first = bulkhead.run(task(1));
    const second = bulkhead.run(task(2));
    const third = bulkhead.run(task(3));
    expect(await bulkhead.run(task(4))).toBeUndefined();
    expect(order).toEqual([1, 2]);
    leave[0]?.();
    expect(await first).toBe(1);
    leave[1]?.();
    expect(await second).toBe(2);
    expect(order).toEqual([1, 2, 3]);
    leave[2]?.();
    expect(await third).toBe(3);
    await expect(bulkhead.run(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
    const last = bulkhead.run(task(5));
    leave[3]?.();
    expect(await last).toBe(5);
  });
});
