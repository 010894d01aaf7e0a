import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configFrom } from '../../../shared/config/config.js';
import { ConfigError } from '../../../shared/config/entry.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { verifyConsistency } from '../../../shared/merkle/verify-proofs.js';
import { parseCheckpoint } from '../../../shared/notes/checkpoint.js';
import { COSIGNATURE_V1, verifierText } from '../../../shared/notes/note-keys.js';
import { openCheckpoint } from '../../../shared/notes/open-checkpoint.js';
import type { SignedTree } from '../../../shared/signing/signer.js';
import { keyOf } from '../../../subgraphs/ledger/transparency/checkpoint-baseline.js';
import type {
  Contradiction,
  Cosigned,
  CosignRequest,
} from '../../../subgraphs/ledger/transparency/ports/checkpoint-sinks.js';
import type { CheckpointRow } from '../../../subgraphs/ledger/transparency/ports/tree-store.js';
import { Signer } from '../../shared/notes/signer.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { NamedSigningKeys, openTrees, type TreeKit } from './checkpoints-kit.js';

/** Keys of a signer that remembers the last tree of each origin. */
class RememberingKeys extends NamedSigningKeys {
  readonly #last = new Map<string, SignedTree>();

  override async sign(keyId: string, bytes: Uint8Array): Promise<Buffer> {
    const { origin, size, root } = parseCheckpoint(Buffer.from(bytes).toString());
    this.#last.set(origin, { origin, size, root: root.toString('hex'), signed_at: '2026-03-02T14:11:10.000Z' });
    return super.sign(keyId, bytes);
  }

  override async lastSigned(origin: string): Promise<SignedTree | null> {
    return this.#last.get(origin) ?? null;
  }
}

const witness = new Signer('witness.example/w1', 50, COSIGNATURE_V1);
const asked: CosignRequest[] = [];
let answer: (request: CosignRequest) => Cosigned;
/** What the witness says of the last note. */
let compared: readonly Contradiction[] = [];
let server: TestServer;
let kit: TreeKit;

const NOTHING: Cosigned = { signatures: [], contradictions: [], short: true };
const cosigning = ({ text }: CosignRequest): Cosigned => ({
  signatures: [witness.cosign(text, 1_772_460_670)],
  contradictions: [],
  short: false,
});

beforeAll(async () => {
  server = await startTestServer();
  const witnesses = {
    names: [witness.key.name],
    cosign: async (request: CosignRequest) => {
      asked.push(request);
      return answer(request);
    },
    compare: async () => compared,
  };
  kit = await openTrees(await server.connect('witnesses'), { witnesses, keys: new RememberingKeys() });
});
afterAll(async () => {
  await kit.close();
  await server.stop();
});

async function published(tenant: string, count: number): Promise<CheckpointRow> {
  await kit.append(tenant, 'a', count);
  const row = await kit.keeper.force(tenant as TenantId);
  if (!row) throw new Error('nothing was published');
  return row;
}

describe('checkpoints with witnesses', () => {
  it('carry their cosignatures, and offer a proof from any earlier size', async () => {
    answer = cosigning;
    const first = await published('one', 5);
    const second = await published('one', 4);
    const key = await keyOf(kit.keys, second, second.origin);
    const trust = { logKeys: [key], witnesses: [witness.key], quorum: 1 };
    expect(openCheckpoint(second.note, trust).witnesses).toEqual(['witness.example/w1']);
    expect(second.witnesses).toEqual(['witness.example/w1']);
    const request = asked.at(-1);
    if (!request) throw new Error('nobody was asked');
    expect(request).toMatchObject({ origin: second.origin, size: 9, likelySize: 5 });
    const [firstRoot, secondRoot] = [first, second].map(({ root_hash }) => Buffer.from(root_hash, 'hex'));
    const proof = await request.proofFrom(5);
    if (!firstRoot || !secondRoot) throw new Error('no roots');
    expect(verifyConsistency({ first: 5, firstRoot, second: 9, secondRoot, proof })).toBe(true);
  });

  it('are published without cosignatures too, with a report', async () => {
    answer = () => NOTHING;
    const row = await published('two', 3);
    expect(row.witnesses).toEqual([]);
    expect(kit.lines.join()).toContain('fewer cosignatures than required');
    expect(kit.keeper.figures().map(({ labels, value }) => ({ ...labels, value }))).toEqual([
      { cosigned: 'enough', value: 2 },
      { cosigned: 'short', value: 1 },
    ]);
  });

  it.each<[string, string, Contradiction]>([
    ['claims a larger tree', 'WITNESS_AHEAD', { witness: 'witness.example/w1', size: 99 }],
    ['has seen another tree', 'WITNESS_DISAGREES', { witness: 'witness.example/w1', size: null }],
  ])('are not published where a witness %s, and an exception is opened', async (_what, reason, by) => {
    answer = () => ({ ...NOTHING, contradictions: [by] });
    await expect(published(reason, 3)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(kit.opened.filter(({ tenantId }) => tenantId === reason)).toMatchObject([
      {
        kind: 'CHECKPOINT_REGRESS',
        subject: { kind: 'LEDGER', id: 'inc-1', witness: by.witness },
        detail: { reason, witness_size: by.size },
      },
    ]);
  });

  it.each<[number, boolean]>([
    [5, false],
    [6, true],
  ])('follow a note of 5 entries, also where the witness has seen %d: refused is %s', async (size, isRefused) => {
    answer = cosigning;
    const tenant = `seen-${size}`;
    await published(tenant, 5);
    const before = asked.length;
    compared = [{ witness: witness.key.name, size }];
    const outcome = await published(tenant, 4).then(
      () => 'published',
      ({ code }) => code,
    );
    compared = [];
    expect(outcome).toBe(isRefused ? 'CONFLICT' : 'published');
    // Nothing was signed, or the witness would have been asked.
    expect(asked.length - before).toBe(isRefused ? 0 : 1);
  });
});

describe('the settings of witnesses', () => {
  const two = [1, 2].map((n) => new Signer(`witness.example/w${n}`, 60 + n, COSIGNATURE_V1));
  const list = two.map(({ key }, n) => `https://w${n}.example/prefix ${verifierText(key)}`).join(', ');

  it('name each witness by URL and key, and the required number of cosignatures', () => {
    const { checkpoints } = configFrom({ SERVICE_WITNESSES: list, SERVICE_WITNESS_QUORUM: '2' });
    expect(checkpoints.quorum).toBe(2);
    expect(checkpoints.witnesses.map(({ url, key }) => [url, key.name])).toEqual([
      ['https://w0.example/prefix', 'witness.example/w1'],
      ['https://w1.example/prefix', 'witness.example/w2'],
    ]);
    expect(configFrom({}).checkpoints).toEqual({ dir: null, witnesses: [], quorum: 0, maps: true });
  });

  it('reject a start without enough witnesses, or with the same witness twice', () => {
    const [first] = two;
    if (!first) throw new Error('no key');
    const same = `https://a.example ${verifierText(first.key)}, https://b.example ${verifierText(first.key)}`;
    const ofALog = `https://a.example ${verifierText(new Signer('log.example', 1).key)}`;
    for (const env of [
      { SERVICE_WITNESSES: list, SERVICE_WITNESS_QUORUM: '3' },
      { SERVICE_WITNESS_QUORUM: '1' },
      { SERVICE_WITNESSES: same },
      { SERVICE_WITNESSES: ofALog },
      { SERVICE_WITNESSES: 'https://a.example' },
      { SERVICE_WITNESSES: `ftp://a.example ${verifierText(first.key)}` },
    ]) {
      expect(() => configFrom(env)).toThrow(ConfigError);
    }
  });
});
