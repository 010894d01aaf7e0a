import { describe, expect, it } from '@jest/globals';
import { problem } from '../../../shared/errors/problem.js';
import { type MessageDeps, takeMessages } from '../../../subgraphs/ledger/connectors/messages.js';
import { DEFAULT_ADAPTER_LIMITS } from '../../../subgraphs/ledger/formats/format-adapter.js';
import { hl7v2Adapter } from '../../../subgraphs/ledger/formats/hl7v2/index.js';
import { verdictOf } from './connectors-kit.js';

// A message at which the service itself fails each time. Its sender would send it again for ever, and all behind it would wait.

type Connector = Parameters<typeof takeMessages>[1];
const CONNECTOR = {
  connector_id: 'con_1',
  tenant_id: 'acme',
  kind: 'HL7V2',
  source_system: 'north',
} as unknown as Connector;
/** Of a type that gives no event, so that nothing is appended. */
const query = (id: string): Buffer => Buffer.from(`MSH|^~\\&|A|B|C|D|20260302||QRY^A19|${id}|P|2.5\rQRD|1\r`);

function world(read: typeof hl7v2Adapter.read) {
  const opened: { kind: string; detail: Record<string, unknown> }[] = [];
  const store = { save: async (answer: unknown) => answer, savePage: async () => undefined };
  const worm = {
    putSmallBlobs: async (blobs: readonly Buffer[]) => ({
      blobs: blobs.map(() => ({ sha256: 'a'.repeat(64) })),
      recorded: Promise.resolve(),
    }),
  };
  const deps = {
    contexts: { of: async () => ({ tenantId: 'acme', worm }) },
    ingests: () => ({ ...store, saveMany: async () => undefined }),
    acknowledgementNumbers: () => ({ take: async () => 1 }),
    openExceptions: async (_tenant: string, drafts: typeof opened) => {
      opened.push(...drafts);
      return drafts;
    },
    codeWatch: { mark: async (_tenant: string, events: unknown) => events },
    clock: { nowMs: () => 1_780_000_000_000 },
    ids: { next: () => 'ing_1' },
    adapterLimits: DEFAULT_ADAPTER_LIMITS,
    messageAdapter: { ...hl7v2Adapter, read },
    maxBodyBytes: 1_000_000,
  } as unknown as MessageDeps;
  return { deps, opened };
}

const take = (deps: MessageDeps, ...messages: Buffer[]) => takeMessages(deps, CONNECTOR, messages, { strict: false });

/** Fails for the first `times` readings of the message BAD. */
function failing(error: () => Error, times = Number.POSITIVE_INFINITY): typeof hl7v2Adapter.read {
  let left = times;
  return async function* (chunks, options) {
    const bytes: Uint8Array[] = [];
    for await (const chunk of chunks) bytes.push(chunk);
    if (Buffer.concat(bytes).includes('|BAD|') && left-- > 0) throw error();
    yield* hl7v2Adapter.read(
      (async function* () {
        yield* bytes;
      })(),
      options,
    );
  };
}

describe('a message on which the service fails', () => {
  it('is stored, reported by an exception and rejected, while the others are answered', async () => {
    const { deps, opened } = world(failing(() => new TypeError('a fault of ours, of John Doe')));
    const [first, bad, last] = await take(deps, query('M1'), query('BAD'), query('M3'));
    expect([first, last].map((one) => verdictOf(one?.answer ?? ''))).toEqual(['AR M1', 'AR M3']);
    expect(bad?.answer).toMatch(/MSA\|AR\|/);
    expect(bad?.answer).toContain('207^Application internal error');
    expect(bad?.answer).not.toContain('Doe');
    expect(bad?.trouble).toMatchObject({ code: 'INTERNAL' });
    expect(opened.filter(({ detail }) => detail['code'] === 'INTERNAL')).toMatchObject([{ kind: 'PARSE_FAILED' }]);
  });

  it('is answered normally if the service failed only once', async () => {
    const { deps, opened } = world(failing(() => new TypeError('passing'), 1));
    const [bad] = await take(deps, query('BAD'));
    expect(verdictOf(bad?.answer ?? '')).toBe('AR BAD');
    expect(bad?.trouble).toMatchObject({ code: 'UNSUPPORTED_TRANSACTION' });
    expect(opened).toEqual([]);
  });

  it('gets no answer while the database is unreachable, so that its sender repeats it', async () => {
    const { deps, opened } = world(failing(() => problem('UNAVAILABLE')));
    const [good, bad] = await take(deps, query('M1'), query('BAD'));
    expect(verdictOf(good?.answer ?? '')).toBe('AR M1');
    expect(bad).toMatchObject({ answer: null, counts: { failures: 1 } });
    expect(opened).toEqual([]);
  });
});
