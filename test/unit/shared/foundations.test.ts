import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { FreshCache } from '../../../shared/cache/fresh-cache.js';
import { repeat } from '../../../shared/clock/timers.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { Problem, problem } from '../../../shared/errors/problem.js';
import { ERROR_CODES, ERROR_REGISTRY, isErrorCode } from '../../../shared/errors/registry.js';
import { createLogger } from '../../../shared/telemetry/logger.js';
import { ManualClock } from '../../support/fakes.js';

describe('a cache of guaranteed age', () => {
  const clock = new ManualClock();
  let loads: string[];
  let answers: Map<string, number>;
  let cache: FreshCache<number>;

  beforeEach(() => {
    loads = [];
    answers = new Map([['a', 1]]);
    cache = new FreshCache({
      clock,
      maxAgeMs: 100,
      absentMaxAgeMs: 10,
      maxEntries: 3,
      load: async (key) => {
        loads.push(key);
        return answers.get(key);
      },
    });
  });

  test('answers at once from what it holds, and asks again when that is too old', async () => {
    expect(await cache.get('a')).toBe(1);
    answers.set('a', 2);
    clock.advance(99);
    expect(cache.get('a')).toBe(1);
    clock.advance(1);
    expect(await cache.get('a')).toBe(2);
    expect(loads).toEqual(['a', 'a']);
  });

  test('counts age from before the load began', async () => {
    const loading = cache.get('a');
    clock.advance(60);
    await loading;
    clock.advance(40);
    void cache.get('a');
    expect(loads).toEqual(['a', 'a']);
  });

  test('forgets sooner that there is none', async () => {
    expect(await cache.get('b')).toBeUndefined();
    clock.advance(9);
    expect(await cache.get('b')).toBeUndefined();
    expect(loads).toEqual(['b']);
    answers.set('b', 5);
    clock.advance(1);
    expect(await cache.get('b')).toBe(5);
    expect(cache.size).toEqual({ present: 1, absent: 0 });
  });

  test('holds no more than its size, and drops the oldest', async () => {
    for (const key of ['a', 'b', 'c', 'd']) answers.set(key, 1);
    for (const key of ['a', 'b', 'c', 'd']) await cache.get(key);
    expect(cache.size).toEqual({ present: 3, absent: 0 });
    expect(cache.get('d')).toBe(1);
    await cache.get('a');
    expect(loads).toEqual(['a', 'b', 'c', 'd', 'a']);
  });

  test('cannot be emptied of what is in use by questions for what is not there', async () => {
    await cache.get('a');
    for (let i = 0; i < 50; i++) await cache.get(`none-${i}`);
    expect(cache.size).toEqual({ present: 1, absent: 3 });
    expect(cache.get('a')).toBe(1);
  });

  test('shares one load among all who wait for it, failure included', async () => {
    const failing = new FreshCache<number>({
      clock,
      maxAgeMs: 100,
      absentMaxAgeMs: 10,
      maxEntries: 3,
      load: async (key) => {
        loads.push(key);
        throw new Error('no server');
      },
    });
    const waiting = [failing.get('a'), failing.get('a')];
    for (const one of waiting) await expect(one).rejects.toThrow('no server');
    expect(loads).toEqual(['a']);
    await expect(failing.get('a')).rejects.toThrow('no server');
    expect(loads).toEqual(['a', 'a']);
  });
});

describe('a repeated task', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('runs again after the previous run has ended, never two at once', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const repeating = repeat(
      10,
      async () => {
        running++;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 25));
        running--;
        runs++;
      },
      () => undefined,
    );
    await jest.advanceTimersByTimeAsync(120);
    expect(runs).toBe(3);
    expect(most).toBe(1);
    const stopped = repeating.stop();
    await jest.advanceTimersByTimeAsync(100);
    await stopped;
    expect(running).toBe(0);
    expect(runs).toBe(4);
  });

  test('goes on after a failing run, which is reported', async () => {
    const errors: unknown[] = [];
    let runs = 0;
    const repeating = repeat(
      10,
      async () => {
        runs++;
        throw new Error(`run ${runs}`);
      },
      (error) => errors.push(error),
    );
    await jest.advanceTimersByTimeAsync(25);
    await repeating.stop();
    expect(errors).toEqual([new Error('run 1'), new Error('run 2')]);
  });
});

describe('a problem', () => {
  test('has the status and title of the registry, and its public text when it has none of its own', () => {
    for (const code of ERROR_CODES) {
      const made = problem(code);
      expect(made).toMatchObject({
        code,
        status: ERROR_REGISTRY[code].status,
        title: ERROR_REGISTRY[code].title,
        message: ERROR_REGISTRY[code].publicText,
      });
      expect(isErrorCode(code)).toBe(true);
    }
    expect(problem('NOT_FOUND', { message: 'No such tenant.' }).message).toBe('No such tenant.');
  });

  test('keeps its cause apart from its public text', () => {
    const cause = new Error('E11000 dup key: { member_id: "M-1" }');
    const made = new Problem('CONFLICT', { internal: 'duplicate', cause });
    expect(made.cause).toBe(cause);
    expect(made.message).not.toContain('M-1');
  });

  test('codes are told from other words', () => {
    for (const word of ['', 'not_found', 'toString', '__proto__', 404, null]) expect(isErrorCode(word)).toBe(false);
  });

  test('the specification names are there with their statuses', () => {
    expect(ERROR_REGISTRY.NOT_SEALED.status).toBe(409);
    expect(ERROR_REGISTRY.RATE_LIMITED.status).toBe(429);
    expect(ERROR_REGISTRY.UNAUTHENTICATED.status).toBe(401);
    expect(ERROR_REGISTRY.FORBIDDEN.status).toBe(403);
    expect(ERROR_REGISTRY.VALIDATION_ERROR.status).toBe(400);
    expect(ERROR_REGISTRY.INTERNAL.status).toBe(500);
  });
});

describe('a duplicate key', () => {
  const text = (index: string): string =>
    `E11000 duplicate key error collection: eas.ledger index: ${index} dup key: { a: "x index: evil_1 dup key" }`;

  test('of one write is read off keyPattern', () => {
    const error = { code: 11000, keyPattern: { tenant_id: 1, sha256: 1 }, message: text('tenant_id_1_sha256_1') };
    expect(duplicateKeyOf(error)).toEqual({ fields: ['tenant_id', 'sha256'], documentIndex: null });
  });

  test.each([
    ['_id_', ['_id']],
    ['tenant_id_1_source_system_1_duplicate_key_1', ['tenant_id', 'source_system', 'duplicate_key']],
    ['created_at_-1__id_-1', ['created_at', '_id']],
    ['query.member_id_1', ['query.member_id']],
    ['named_by_hand', []],
  ])('of a batch, where the driver drops keyPattern, off the index %s', (index, fields) => {
    const writeErrors = [{ err: { index: 3, code: 11000, errmsg: text(index) } }];
    expect(duplicateKeyOf({ code: 11000, writeErrors })).toEqual({ fields, documentIndex: 3 });
    expect(duplicateKeyOf({ code: 11000, writeErrors: writeErrors[0] })).toEqual({ fields, documentIndex: 3 });
  });

  test('is not seen in other errors', () => {
    for (const error of [null, undefined, 'E11000', new Error('E11000'), { code: 11001 }, { code: '11000' }]) {
      expect(duplicateKeyOf(error)).toBeUndefined();
    }
    expect(duplicateKeyOf({ writeErrors: [{ err: { code: 121, index: 0 } }] })).toBeUndefined();
  });
});

describe('the log', () => {
  test('is JSON lines without what must not be logged, should a library attach it', () => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line: string) => lines.push(line) });
    logger.debug('not this');
    logger.info(
      {
        req: { headers: { authorization: 'Bearer s3cret', 'x-api-key': 's3cret' } },
        key: { api_key: 's3cret', secret: 's3cret' },
        event: { payload: { diagnosis: 's3cret' }, member_id: 's3cret' },
      },
      'told',
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('s3cret');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 30, msg: 'told' });
  });
});
