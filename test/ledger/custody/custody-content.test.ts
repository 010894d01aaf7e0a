import { describe, expect, it } from '@jest/globals';
import { Answer, type RouteCall } from '../../../rest-facade/route.js';
import { type Content, contentAnswer } from '../../../rest-facade/streams/content.js';
import { StreamedAnswer } from '../../../rest-facade/streams/streamed-answer.js';
import { internalContext } from '../../../shared/auth/context.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { problem } from '../../../shared/errors/problem.js';
import { ManualClock, RecordingCustody, RecordingDesk } from '../../support/fakes.js';

// The way that all content takes out of the write-once store, with what can go wrong at each step of it.

const BLOCKS = ['first ', 'second ', 'third'].map((text) => Buffer.from(text));
const WHOLE = Buffer.concat(BLOCKS);

interface Kit {
  readonly custody: RecordingCustody;
  readonly desk: RecordingDesk;
  answer(): Promise<Answer | StreamedAnswer>;
}

function kit(over: { readonly call?: Partial<RouteCall>; readonly content?: Partial<Content> } = {}): Kit {
  const [custody, desk] = [new RecordingCustody(), new RecordingDesk()];
  const services = { custody, exceptions: desk, clock: new ManualClock() };
  const call = {
    tenant: { tenant_id: 't', log_id: 'log_t', status: 'ACTIVE' },
    context: { ...internalContext(null, 'test'), requestId: 'req_1' },
    isHead: false,
    services,
    ...over.call,
  } as unknown as RouteCall;
  const content: Content = {
    sha256: sha256Hex(WHOLE),
    sizeBytes: WHOLE.length,
    mediaType: 'text/plain',
    filename: 'x.txt',
    blobSha256: 'b'.repeat(64),
    read: ({ start, end }) => blocks(WHOLE.subarray(start, end)),
    custody: { action: 'READ_RAW', subject: { kind: 'EVENT', id: 'evt_1' } },
    ...over.content,
  };
  return { custody, desk, answer: () => contentAnswer(call, content) };
}

async function* blocks(...given: Buffer[]): AsyncGenerator<Buffer> {
  yield* given;
}

/** Hands out blocks, and then fails as the store does. */
async function* failing(code: 'INTEGRITY_FAILURE' | 'NOT_FOUND' | 'UNAVAILABLE', ...given: Buffer[]) {
  yield* given;
  throw problem(code);
}

const streamed = async (answer: Answer | StreamedAnswer): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of (answer as StreamedAnswer).chunks) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
};

describe('stored content', () => {
  it('is recorded in custody before its first byte, once', async () => {
    const { custody, answer } = kit({ content: { read: () => blocks(...BLOCKS) } });
    const made = await answer();
    expect(custody.entries).toMatchObject([
      { action: 'READ_RAW', at: '2026-03-02T14:11:10.004Z', actor: { type: 'SERVICE' }, request_id: 'req_1' },
    ]);
    expect(await streamed(made)).toEqual(WHOLE);
    expect(custody.entries).toHaveLength(1);
  });

  it('is not returned if custody cannot be recorded', async () => {
    const { custody, answer } = kit();
    custody.failure = problem('UNAVAILABLE');
    await expect(answer()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('stops being read when the reader leaves, and when custody cannot be recorded', async () => {
    let ended = 0;
    const read = async function* () {
      try {
        yield* BLOCKS;
      } finally {
        ended += 1;
      }
    };
    const leaving = (await kit({ content: { read } }).answer()) as StreamedAnswer;
    await (leaving.chunks as AsyncIterable<Buffer>)[Symbol.asyncIterator]().return?.();
    const unkept = kit({ content: { read } });
    unkept.custody.failure = problem('UNAVAILABLE');
    await expect(unkept.answer()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(ended).toBe(2);
  });

  it.each([
    ['HEAD', { isHead: true }],
    ['a copy that the client has', { ifNoneMatch: `"${sha256Hex(WHOLE)}"` }],
  ])('of %s returns nothing and records nothing', async (_, call) => {
    const { custody, answer } = kit({ call });
    const made = await answer();
    if (made instanceof StreamedAnswer) expect(await streamed(made)).toHaveLength(0);
    else expect(made).toMatchObject({ status: 304, body: undefined });
    expect(custody.entries).toEqual([]);
  });

  it('rejects a range beyond its end with its size, and records nothing', async () => {
    const { custody, answer } = kit({ call: { range: 'bytes=99-' } });
    const headers = { 'content-range': `bytes */${WHOLE.length}` };
    await expect(answer()).rejects.toMatchObject({ code: 'RANGE_NOT_SATISFIABLE', details: { headers } });
    expect(custody.entries).toEqual([]);
  });

  it('of zero bytes is returned like any other', async () => {
    const empty = { sizeBytes: 0, sha256: sha256Hex(Buffer.alloc(0)) };
    const { custody, answer } = kit({ content: empty });
    expect(await streamed(await answer())).toHaveLength(0);
    expect(custody.entries).toHaveLength(1);
  });
});

describe('damaged content', () => {
  const told = ({ custody, desk }: Kit) => [
    custody.entries.map(({ action }) => action),
    desk.opened.map(({ kind }) => kind),
  ];

  it.each([
    ['INTEGRITY_FAILURE', 'WORM_MISMATCH'],
    ['NOT_FOUND', 'WORM_MISSING'],
  ] as const)(
    'in the first block (%s) returns an error, opens the exception %s and is recorded in custody',
    async (code, kind) => {
      const damaged = kit({ content: { read: () => failing(code) } });
      await expect(damaged.answer()).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
      expect(told(damaged)).toEqual([['INTEGRITY_FAILURE'], [kind]]);
      expect(damaged.desk.opened[0]?.subject).toEqual({ kind: 'WORM_BLOB', id: 'b'.repeat(64) });
    },
  );

  it('in a later block ends the stream, and is reported as well', async () => {
    const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = BLOCKS;
    const late = kit({ content: { read: () => failing('INTEGRITY_FAILURE', first, second) } });
    const made = await late.answer();
    await expect(streamed(made)).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
    expect(told(late)).toEqual([['READ_RAW', 'INTEGRITY_FAILURE'], ['WORM_MISMATCH']]);
  });

  it('with intact blocks and a wrong total withholds its last block', async () => {
    const other = kit({ content: { read: () => blocks(...BLOCKS), sha256: sha256Hex(Buffer.from('another')) } });
    const seen: string[] = [];
    const made = (await other.answer()) as StreamedAnswer;
    const reading = (async () => {
      for await (const chunk of made.chunks) seen.push(Buffer.from(chunk).toString());
    })();
    await expect(reading).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
    expect(seen).toEqual(['first ', 'second ']);
    expect(told(other)[1]).toEqual(['WORM_MISMATCH']);
  });

  it('fails the request as unavailable if the damage cannot be reported', async () => {
    const untold = kit({ content: { read: () => failing('INTEGRITY_FAILURE') } });
    untold.desk.failure = problem('UNAVAILABLE');
    await expect(untold.answer()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('is not reported for a store that is unreachable', async () => {
    const away = kit({ content: { read: () => failing('UNAVAILABLE') } });
    await expect(away.answer()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(told(away)).toEqual([[], []]);
  });
});
