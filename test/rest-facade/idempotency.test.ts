import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MasterKey } from '../../shared/crypto/master-key.js';
import type { Database } from '../../shared/db/database.js';
import type { FirstAnswer } from '../../shared/idempotency/answer-store.js';
import { type Idempotency, type IdempotentRequest } from '../../shared/idempotency/idempotency.js';
import { openIdempotency } from '../../shared/idempotency/open.js';
import { readIdempotencyKey } from '../../shared/idempotency/request-key.js';
import { idTimeMs, isIdOf, systemRandomness, ulidIds } from '../../shared/ids/ids.js';
import { startTestServer, type TestServer } from '../support/database.js';
import { ManualClock, recordingLogger } from '../support/fakes.js';

// Two instances over one database act as two processes: they share nothing else.

let server: TestServer;
let database: Database;
let clock: ManualClock;
let one: Idempotency;
let two: Idempotency;
let keys = 0;

beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('idempotency');
});
afterAll(() => server.stop());

const open = (): Promise<Idempotency> => {
  const randomness = systemRandomness();
  const ids = ulidIds(() => clock.nowMs(), randomness);
  const masterKey = new MasterKey(Buffer.alloc(32, 7));
  return openIdempotency({ database, clock, ids, randomness, masterKey, logger: recordingLogger().logger });
};

beforeEach(async () => {
  // Near the real time: the database's own sweep of expired rows goes by that.
  clock = new ManualClock(new Date().toISOString());
  one = await open();
  two = await open();
});
afterEach(async () => {
  await one.stop();
  await two.stop();
});

const requestOf = (over: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  id: { tenant_id: 'acme', key_id: 'key_1', key: `key-${keys++}` },
  fingerprint: 'a'.repeat(64),
  body: null,
  secret: false,
  ...over,
});

const answerOf = (text: string, over: Partial<FirstAnswer> = {}): FirstAnswer => ({
  status: 200,
  code: null,
  headers: {},
  body: Buffer.from(text),
  ...over,
});

const again = (request: IdempotentRequest, over: Partial<IdempotentRequest> = {}) => ({ ...request, ...over });

/** A body that ended with this hash. */
const streamed = (sha256: string) => ({ sha256: () => sha256, drain: async () => sha256 });

/** The row as the test wants to find it, past the types of the store. */
const rows = () => database.db.collection('idempotency');
const rowOf = (request: IdempotentRequest) => rows().findOne({ _id: request.id as never });

/** What a crash between the work and the answer leaves behind. */
const leaveCrashed = (request: IdempotentRequest) =>
  rows().updateOne(
    { _id: request.id as never },
    { $set: { state: 'CLAIMED', lease_until: new Date(clock.nowMs() - 1) }, $unset: { answer: '' } },
  );

describe('an Idempotency-Key', () => {
  it('is a ULID or a UUID in any case', () => {
    expect(readIdempotencyKey('01jq0000000000000000000001')).toBe('01JQ0000000000000000000001');
    expect(readIdempotencyKey('3F2504E0-4F89-11D3-9A0C-0305E82C3301')).toBe('3f2504e0-4f89-11d3-9a0c-0305e82c3301');
    const wrong = ['', 'abc', '01JQ000000000000000000000', '81JQ0000000000000000000001', '01JQ000000000000000000000U'];
    expect(wrong.map(readIdempotencyKey)).toEqual(wrong.map(() => null));
  });
});

describe('work under one Idempotency-Key', () => {
  it('runs once for 1,000 callers in two processes, and every caller gets the first answer', async () => {
    const request = requestOf();
    let runs = 0;
    const work = async () => {
      runs++;
      await new Promise((resolve) => setImmediate(resolve));
      return answerOf(`run ${runs}`);
    };
    const all = await Promise.all(Array.from({ length: 1_000 }, (_, n) => (n % 2 ? one : two).run(request, work)));
    expect(runs).toBe(1);
    expect(new Set(all.map(({ answer }) => answer.body.toString()))).toEqual(new Set(['run 1']));
    expect(all.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it('rejects another method, path or body, while it runs and afterwards', async () => {
    const request = requestOf();
    const other = again(request, { fingerprint: 'b'.repeat(64) });
    const reused = { code: 'IDEMPOTENCY_KEY_REUSED', status: 422 };
    await one.run(request, async () => {
      await expect(one.run(other, async () => answerOf('x'))).rejects.toMatchObject(reused);
      await expect(two.run(other, async () => answerOf('x'))).rejects.toMatchObject(reused);
      return answerOf('first');
    });
    await expect(two.run(other, async () => answerOf('x'))).rejects.toMatchObject(reused);
  });

  it('is separate for each tenant and API key', async () => {
    const request = requestOf();
    const { id } = request;
    await one.run(request, async () => answerOf('first'));
    for (const other of [
      { ...id, tenant_id: 'other' },
      { ...id, key_id: 'key_2' },
    ]) {
      const outcome = await one.run(again(request, { id: other }), async () => answerOf('own'));
      expect(outcome).toMatchObject({ replayed: false, answer: { body: Buffer.from('own') } });
    }
  });

  it.each([400, 404, 409, 422])('replays an answer %d', async (status) => {
    const request = requestOf();
    await one.run(request, async () => answerOf('refused', { status, code: 'VALIDATION_ERROR' }));
    const repeat = await two.run(request, async () => answerOf('second'));
    expect(repeat).toMatchObject({ replayed: true, answer: { status, code: 'VALIDATION_ERROR' } });
  });

  it.each([401, 403, 429, 500, 503])('that ended with %d may run again under the same name', async (status) => {
    const request = requestOf();
    const names: string[] = [];
    const work = (answer: FirstAnswer) => async (workId: () => Promise<string>) => {
      names.push(await workId());
      return answer;
    };
    await one.run(request, work(answerOf('failed', { status })));
    clock.advance(1_000);
    const repeat = await two.run(request, work(answerOf('done')));
    expect(repeat).toMatchObject({ replayed: false, answer: { body: Buffer.from('done') } });
    expect(names[1]).toBe(names[0]);
  });

  it('may run with another body and another name after it was released', async () => {
    const request = requestOf();
    const names: string[] = [];
    const work = async (workId: () => Promise<string>) => {
      names.push(await workId());
      return answerOf('failed', { status: 500 });
    };
    await one.run(request, work);
    await one.run(again(request, { fingerprint: 'b'.repeat(64) }), work);
    expect(new Set(names).size).toBe(2);
  });

  it('keeps its answer for 24 hours', async () => {
    const request = requestOf();
    await one.run(request, async () => answerOf('first'));
    clock.advance(24 * 3_600_000 - 1);
    expect(await one.run(request, async () => answerOf('second'))).toMatchObject({ replayed: true });
    clock.advance(2);
    expect(await one.run(request, async () => answerOf('second'))).toMatchObject({ replayed: false });
  });
});

describe('work that a crashed process left', () => {
  it('is taken over under the same name, with the time of the first claim', async () => {
    const request = requestOf();
    const names: string[] = [];
    const work = async (workId: () => Promise<string>) => {
      names.push(await workId());
      return answerOf('done');
    };
    const claimedAtMs = clock.nowMs();
    await one.run(request, work);
    await leaveCrashed(request);
    clock.advance(60_000);
    expect(await two.run(request, work)).toMatchObject({ replayed: false });
    expect(names[1]).toBe(names[0]);
    expect(isIdOf('work', names[0] ?? '')).toBe(true);
    expect(idTimeMs(names[0] ?? '')).toBe(claimedAtMs);
    expect(await one.run(request, work)).toMatchObject({ replayed: true });
  });

  it('blocks other callers until its lease expires; then a waiting caller takes over', async () => {
    const request = requestOf();
    let release: () => void = () => {};
    const blocked = one.run(request, async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return answerOf('late');
    });
    while ((await rowOf(request)) === null) await new Promise((resolve) => setImmediate(resolve));
    const taking = two.run(request, async () => answerOf('taken over'));
    clock.advance(6_001);
    expect(await taking).toMatchObject({ replayed: false, answer: { body: Buffer.from('taken over') } });
    release();
    await blocked;
    // The process that lost its lease does not overwrite the answer.
    expect((await two.run(request, async () => answerOf('x'))).answer.body.toString()).toBe('taken over');
  });

  it('returns 409 and Retry-After to a caller that waited too long', async () => {
    const request = requestOf();
    await one.run(request, async () => {
      await rows().updateOne({ _id: request.id as never }, { $set: { lease_until: new Date(clock.nowMs() + 60_000) } });
      const waiting = two.run(request, async () => answerOf('x')).catch((error: unknown) => error);
      clock.advance(10_000);
      const outcome = await waiting;
      expect(outcome).toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS', details: { retryAfterSeconds: 2 } });
      return answerOf('first');
    });
  });
});

describe('a streamed body', () => {
  const [A, B] = ['1'.repeat(64), '2'.repeat(64)];

  it('is compared before a replay', async () => {
    const request = requestOf({ body: streamed(A) });
    await one.run(request, async (workId) => {
      await workId();
      return answerOf('first');
    });
    const work = async () => answerOf('x');
    await expect(two.run(again(request, { body: streamed(B) }), work)).rejects.toMatchObject({ status: 422 });
    expect(await two.run(again(request, { body: streamed(A) }), work)).toMatchObject({ replayed: true });
  });

  it('with other content does not take over the work of a crashed attempt, which keeps its key', async () => {
    const request = requestOf({ body: streamed(A) });
    const names: string[] = [];
    const work = async (workId: () => Promise<string>) => {
      names.push(await workId());
      return answerOf('done');
    };
    await one.run(request, work);
    await leaveCrashed(request);
    await expect(two.run(again(request, { body: streamed(B) }), work)).rejects.toMatchObject({ status: 422 });
    clock.advance(1);
    expect(await two.run(request, work)).toMatchObject({ replayed: false });
    expect(names).toEqual([names[0], names[0]]);
  });

  it('that was not read to its end keeps no answer', async () => {
    const unread = { sha256: () => null, drain: async () => A };
    const request = requestOf({ body: unread });
    await one.run(request, async () => answerOf('too large', { status: 413 }));
    expect(await one.run(again(request, { body: streamed(A) }), async () => answerOf('done'))).toMatchObject({
      replayed: false,
    });
  });
});

describe('a stored answer', () => {
  it('moves to GridFS if it is large, and is deleted when it expires', async () => {
    const request = requestOf();
    const body = Buffer.alloc(3_000_000, 'x');
    await one.run(request, async () => answerOf('', { body }));
    const repeat = await two.run(request, async () => answerOf('second'));
    expect(repeat.answer.body.equals(body)).toBe(true);
    const files = database.db.collection('idempotency_answers.files');
    expect(await files.countDocuments()).toBe(1);
    expect((await rowOf(request))?.['answer']).toMatchObject({ body: null });
  });

  it('with a secret is encrypted at rest and bound to its key', async () => {
    const request = requestOf({ secret: true });
    await one.run(request, async () => answerOf('{"api_key":"eas_live_secret"}'));
    const row = await rowOf(request);
    const { body } = (row?.['answer'] ?? {}) as { readonly body: { readonly buffer: Uint8Array } };
    expect(Buffer.from(body.buffer).toString('latin1')).not.toContain('eas_live_secret');
    expect(JSON.stringify(row)).not.toContain('eas_live_secret');
    const repeat = await two.run(request, async () => answerOf('second'));
    expect(repeat.answer.body.toString()).toBe('{"api_key":"eas_live_secret"}');
    const other = requestOf({ secret: true });
    await rows().insertOne({ ...row, _id: other.id } as never);
    await expect(two.run(other, async () => answerOf('x'))).rejects.toThrow();
  });
});
