import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { entryHash, genesisHash, type Header } from '../../../shared/evidence/chain.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import { MemberTags } from '../../../shared/evidence/member-tag.js';
import { rebuildRecord } from '../../../shared/evidence/record.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/json/strict-json.js';
import { CompactRange } from '../../../shared/merkle/compact-range.js';
import { leafHash } from '../../../shared/merkle/hashes.js';
import { TreeView } from '../../../shared/merkle/tree-view.js';
import { DuplicateKeys, uniqueKeysOf } from '../../../subgraphs/ledger/append/domain/duplicate-key.js';
import { itUnless, lackOf } from '../../support/needs.js';
import { MemoryTiles } from '../merkle/memory-tiles.js';

// docs/evidence-vectors: a Python program that shares no code with the service computes the vectors.

interface ChainVector {
  readonly origin: string;
  readonly tenant_id: string;
  readonly tenant_key: string;
  readonly source_system: string;
  readonly genesis: string;
  readonly entries: readonly (Omit<Header, 'event_id'> & {
    readonly record: string;
    readonly seed: string;
    readonly worm_sha256: string;
    readonly entry_hash: string;
    readonly leaf: string;
  })[];
}

interface FactVectors {
  readonly chain: ChainVector;
  readonly tenant_key: string;
  readonly keys: readonly {
    readonly kind: string;
    readonly id: string;
    readonly previous: string | null;
    readonly fact_key: string;
    readonly duplicate_key: string;
  }[];
  readonly lists: readonly { readonly ids: readonly string[]; readonly count: number; readonly root: string }[];
  readonly histories: readonly {
    readonly lines: readonly JsonValue[];
    readonly count: number;
    readonly root: string;
  }[];
}

interface TreeVectors {
  readonly entries: readonly string[];
  readonly roots: readonly string[];
  readonly inclusion: readonly { readonly tree_size: number; readonly leaf_index: number; readonly path: string[] }[];
  readonly consistency: readonly { readonly from: number; readonly to: number; readonly path: string[] }[];
}

const FOLDER = 'docs/evidence-vectors';
const vectorsOf = (name: string): unknown => JSON.parse(readFileSync(repositoryFile(`${FOLDER}/${name}.json`), 'utf8'));
const hex = (hashes: readonly Uint8Array[]): string[] => hashes.map((hash) => Buffer.from(hash).toString('hex'));

function membersOf(record: string): JsonObject {
  const members: unknown = JSON.parse(record);
  if (!isJsonObject(members)) throw new TypeError('the record of a vector is no object');
  return members;
}

function expectChain({ origin, source_system, tenant_id, tenant_key, genesis, entries }: ChainVector): void {
  const tags = new MemberTags(Buffer.from(tenant_key, 'hex'));
  expect(genesisHash(origin, source_system, tenant_id)).toBe(genesis);
  const committer = new Committer();
  for (const { record, seed, recorded_at, seq, prev, ...stated } of entries) {
    const members = membersOf(record);
    const { text, leaves } = rebuildRecord(members);
    const made = committer.commit(Buffer.from(seed, 'hex'), Buffer.from(text), leaves);
    const { commit, fields } = made;
    const event_id = String(members['event_id']);
    const member_tag = tags.ofEntry(members);
    const header = { commit, fields, event_id, member_tag, prev, recorded_at, seq, source_system, tenant_id };
    const entry_hash = entryHash(header);
    expect(member_tag).toBe(stated.member_tag);
    expect(text).toBe(record);
    expect({ ...made, entry_hash }).toEqual({
      commit: stated.commit,
      fields: stated.fields,
      worm_sha256: stated.worm_sha256,
      entry_hash: stated.entry_hash,
    });
    expect(leafHash(Buffer.from(entry_hash, 'hex')).toString('hex')).toBe(stated.leaf);
  }
}

const countAndRoot = (texts: readonly string[]) => {
  const range = new CompactRange();
  for (const text of texts) range.append(leafHash(Buffer.from(text)));
  return { count: texts.length, root: range.root().toString('hex') };
};

describe('the published vectors', () => {
  it('state the entries of a chain as the service writes them', () => {
    expectChain(vectorsOf('entries') as ChainVector);
  });

  it('state the roots and proofs of a tree as the service computes them', async () => {
    const { entries, roots, inclusion, consistency } = vectorsOf('trees') as TreeVectors;
    const view = new TreeView(new MemoryTiles(entries.map((entry) => Buffer.from(entry, 'hex'))));
    for (const [size, root] of roots.entries()) expect((await view.rootAt(size)).toString('hex')).toBe(root);
    for (const { tree_size, leaf_index, path } of inclusion) {
      expect(hex(await view.inclusionProof(leaf_index, tree_size))).toEqual(path);
    }
    for (const { from, to, path } of consistency) expect(hex(await view.consistencyProof(from, to))).toEqual(path);
  });

  it('state the entries, keys, lists and histories of facts as the service derives them', () => {
    const { chain, tenant_key, keys, lists, histories } = vectorsOf('facts') as FactVectors;
    expectChain(chain);
    const factOf = (members: JsonObject) =>
      uniqueKeysOf(new DuplicateKeys(Buffer.from(tenant_key, 'hex')), {
        members,
        sent: '',
        eventType: String(members['event_type']),
        effectiveAtMs: 0,
      });
    const [first] = chain.entries;
    const members = membersOf(first?.record ?? '');
    for (const { kind, id, previous, fact_key, duplicate_key } of keys) {
      const payload = { ...(members['payload'] as JsonObject), subject: { kind, id }, previous };
      const source_system = kind === 'event-redaction' ? '_system' : '_records';
      expect(factOf({ ...members, source_system, payload })).toEqual({ fact_key, duplicate_key });
    }
    for (const { ids, ...stated } of lists) expect(countAndRoot([...ids].sort())).toEqual(stated);
    for (const { lines, ...stated } of histories) {
      expect(countAndRoot(lines.map((line) => canonicalJson(line)))).toEqual(stated);
    }
  });

  itUnless(lackOf(spawnSync('python3', ['-V']).status === 0, 'python3'))(
    'are what the independent program computes',
    () => {
      const { status, stdout } = spawnSync('python3', [repositoryFile(`${FOLDER}/vectors.py`), '--check']);
      expect([String(stdout), status]).toEqual(['', 0]);
    },
  );
});
