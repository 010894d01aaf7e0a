import { sha256 } from '../../shared/crypto/hash.js';
import { entryHash, genesisHash, type Header } from '../../shared/evidence/chain.js';
import { Committer } from '../../shared/evidence/commitments.js';
import { MemberTags } from '../../shared/evidence/member-tag.js';
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

export interface MapLeaf {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** A log of the map: its leaves in the order in which they entered. */
export interface MadeLog {
  readonly entries: MadeEntry[];
  readonly leaves: Buffer[];
}

export interface MadeMap {
  readonly leaves: readonly MapLeaf[];
  readonly logs: ReadonlyMap<string, MadeLog>;
  readonly root: Buffer;
}

export interface MadeLedger {
  readonly origin: string;
  readonly tenantId: string;
  readonly entries: MadeEntry[];
  readonly leaves: Buffer[];
  /** The map that the last entry commits to. */
  readonly map?: MadeMap;
}

export interface LedgerSpec {
  readonly seed: number;
  readonly entries: number;
  readonly origin?: string;
  readonly tenantId?: string;
  /** Entries that hold an act of the service instead of an event, by their place in the tree. */
  readonly own?: ReadonlyMap<number, Act>;
}

/** An act of the service: the members of its envelope that make it one. */
export interface Act {
  readonly source_system: '_custody' | '_system' | '_records' | '_map';
  readonly event_family: string;
  readonly event_type: string;
  readonly source_record_id: string;
  readonly payload: JsonObject;
}

const TAGS = new MemberTags(Buffer.alloc(32, 9));

const SOURCES = ['um-core', 'claims/837', 'rx "retail"'];

/** A ledger of many members and sources, by the service's own definitions of record, commitment and link. */
export function makeLedger(spec: LedgerSpec): MadeLedger {
  const { origin = ORIGIN, tenantId = TENANT } = spec;
  const entries = [...madeEntries(spec)];
  const leaves = entries.map((entry) => leafHash(Buffer.from(entry.entryHash, 'hex')));
  return { origin, tenantId, entries, leaves };
}

/** The tag of a member in every made ledger. */
export const tagOf = (memberId: string): string => TAGS.of(memberId);

/** Its entries one after another, where all of them at once would be too many. */
export function* madeEntries(spec: LedgerSpec): Generator<MadeEntry> {
  const random = seeded(spec.seed);
  const { origin = ORIGIN, tenantId = TENANT } = spec;
  const committer = new Committer();
  const tails = new Map<string, { seq: number; hash: string }>();
  for (let i = 0; i < spec.entries; i++) {
    const act = spec.own?.get(i);
    const source = act?.source_system ?? (SOURCES[Math.floor(random() * SOURCES.length)] as string);
    const at = new Date(Date.UTC(2026, 2, 2, 12) + i * 1000).toISOString();
    const eventId = `evt_${String(i).padStart(26, '0')}`;
    const sent = act ? { ...act, event_effective_timestamp: at } : envelope(i, source, at, random);
    const built = buildRecord(sent, {
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
      member_tag: TAGS.ofEntry(sent),
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

/** An act behind all entries of a ledger. Its neighbours are not in any bundle, so its place in its chain is made up. */
export function laterAct(
  { tenantId, leaves }: { readonly tenantId: string; readonly leaves: { readonly length: number } },
  act: Act,
): MadeEntry {
  const at = '2026-03-03T00:00:01.000Z';
  const sent: JsonObject = { ...act, event_effective_timestamp: at };
  const event_id = `evt_later_${act.source_system}`;
  const built = buildRecord(sent, { event_id, tenant_id: tenantId, received_at: at });
  const seed = sha256(`later ${tenantId}`);
  const made = new Committer().commit(seed, Buffer.from(built.text), built.leaves);
  const header: Header = {
    commit: made.commit,
    event_id,
    fields: made.fields,
    member_tag: null,
    prev: 'ee'.repeat(32),
    recorded_at: at,
    seq: 90_000,
    source_system: act.source_system,
    tenant_id: tenantId,
  };
  const { worm_sha256: hash } = made;
  return { header, entryHash: entryHash(header), treeIndex: leaves.length, record: built.text, seed, sha256: hash };
}

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
