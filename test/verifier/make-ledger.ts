import { sha256 } from '../../shared/crypto/hash.js';
import { entryHash, genesisHash, type Header } from '../../shared/evidence/chain.js';
import { Committer } from '../../shared/evidence/commitments.js';
import { buildRecord } from '../../shared/evidence/record.js';
import type { JsonObject } from '../../shared/json/strict-json.js';
import { leafHash, nodeHash } from '../../shared/merkle/hashes.js';
import { seeded } from '../support/random.js';

export const ORIGIN = 'eas.example/eas/01HZX0VERIFY';
export const TENANT = 't-verify';

/** An entry of the made ledger; those of the service's own chains have no record here. */
export interface MadeEntry {
  readonly header: Header;
  readonly entryHash: string;
  readonly treeIndex: number;
  readonly record: string;
  readonly seed: Buffer;
  readonly sha256: string;
}

export interface MadeLedger {
  readonly origin: string;
  readonly tenantId: string;
  readonly entries: MadeEntry[];
  readonly leaves: Buffer[];
}

export interface LedgerSpec {
  readonly seed: number;
  readonly entries: number;
  readonly origin?: string;
  readonly tenantId?: string;
  /** Entries at which an act of the service stands in place of an event. */
  readonly own?: ReadonlyMap<number, '_custody' | '_system'>;
}

const SOURCES = ['um-core', 'claims/837', 'rx "retail"'];

/** A ledger of many members and sources, by the service's own definitions of record, commitment and link. */
export function makeLedger(spec: LedgerSpec): MadeLedger {
  const { origin = ORIGIN, tenantId = TENANT } = spec;
  const entries = [...madeEntries(spec)];
  return { origin, tenantId, entries, leaves: entries.map((entry) => leafHash(Buffer.from(entry.entryHash, 'hex'))) };
}

/** Its entries one after another, where all of them at once would be too many. */
export function* madeEntries(spec: LedgerSpec): Generator<MadeEntry> {
  const random = seeded(spec.seed);
  const { origin = ORIGIN, tenantId = TENANT } = spec;
  const committer = new Committer();
  const tails = new Map<string, { seq: number; hash: string }>();
  for (let i = 0; i < spec.entries; i++) {
    const source = spec.own?.get(i) ?? (SOURCES[Math.floor(random() * SOURCES.length)] as string);
    const at = new Date(Date.UTC(2026, 2, 2, 12) + i * 1000).toISOString();
    const eventId = `evt_${String(i).padStart(26, '0')}`;
    const built = buildRecord(envelope(i, source, at, random), {
      event_id: eventId,
      tenant_id: tenantId,
      received_at: at,
    });
    const seed = sha256(`seed ${spec.seed} ${i}`);
    const record = Buffer.from(built.text);
    const made = committer.commit(seed, record, built.leaves);
    const tail = tails.get(source) ?? { seq: 0, hash: genesisHash(origin, source, tenantId) };
    const header: Header = {
      commit: made.commit,
      event_id: eventId,
      fields: made.fields,
      prev: tail.hash,
      recorded_at: at,
      seq: tail.seq + 1,
      source_system: source,
      tenant_id: tenantId,
    };
    const hash = entryHash(header);
    tails.set(source, { seq: header.seq, hash });
    yield { header, entryHash: hash, treeIndex: i, record: built.text, seed, sha256: made.worm_sha256 };
  }
}

const envelope = (i: number, source: string, at: string, random: () => number): JsonObject => ({
  event_effective_timestamp: at,
  event_family: 'utilization_management',
  event_type: 'prior_auth.denied',
  member_id: `M-${Math.floor(random() * 3)}`,
  outcome: 'DENIED',
  payload: {
    carc: ['50', 'ü\u2028"\\\n'],
    amount: Math.floor(random() * 1e6) / 100,
    tiny: 1e-7,
    big: 1e21,
    nothing: null,
    empty: {},
    none: [],
    'a/b~c': { deep: [true, { x: -0.5 }] },
    note: 'x'.repeat(Math.floor(random() * 400)),
    '\u20ac': i,
  },
  source_record_id: `PA-${i}`,
  source_system: source,
});

/** The hash over leaves [from, to), by RFC 6962 section 2.1 in its own words. */
export function treeHash(leaves: readonly Buffer[], from: number, to: number): Buffer {
  const known = hashed.get(leaves) ?? new Map<number, Buffer>();
  hashed.set(leaves, known);
  const key = from * 2 ** 24 + to;
  const hash = known.get(key) ?? freshTreeHash(leaves, from, to);
  known.set(key, hash);
  return hash;
}

/** Hundreds of bundles are made of few ledgers. */
const hashed = new WeakMap<readonly Buffer[], Map<number, Buffer>>();

function freshTreeHash(leaves: readonly Buffer[], from: number, to: number): Buffer {
  if (to === from) return sha256('');
  if (to - from === 1) return leaves[from] as Buffer;
  const middle = from + splitOf(to - from);
  return nodeHash(treeHash(leaves, from, middle), treeHash(leaves, middle, to));
}

export function splitOf(size: number): number {
  let width = 1;
  while (width * 2 < size) width *= 2;
  return width;
}

/** PATH(index, leaves) of section 2.1.1. */
export function treePath(leaves: readonly Buffer[], index: number, from = 0, to = leaves.length): Buffer[] {
  if (to - from <= 1) return [];
  const middle = from + splitOf(to - from);
  return index < middle
    ? [...treePath(leaves, index, from, middle), treeHash(leaves, middle, to)]
    : [...treePath(leaves, index, middle, to), treeHash(leaves, from, middle)];
}
