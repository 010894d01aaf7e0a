// Builds a bundle over fixed inputs in a separate process: `node rebuild.mjs` prints the hash of the ZIP. `--fail-each` fails
// each call of another area once, continues from the stored state, and prints the resulting hashes. `--purpose` builds with
// a stated purpose; consent changes before the build continues from stored answers, and before a build from the start.
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { verdictOf } from '../../../dist/shared/consent/verdict.js';
import { ed25519Jwk, ed25519Sign } from '../../../dist/shared/crypto/ed25519.js';
import { canonicalJson } from '../../../dist/shared/json/canonical.js';
import { archiveStore } from '../../../dist/subgraphs/bundles/archive/adapters/archive-store.js';
import { Spools } from '../../../dist/subgraphs/bundles/archive/adapters/spool.js';
import { sealArchive } from '../../../dist/subgraphs/bundles/build/seal-archive.js';
import { rowsOf } from '../../../dist/subgraphs/bundles/build/select-rows.js';
import { spoolEvents } from '../../../dist/subgraphs/bundles/build/spool-events.js';

const EVENTS = 2_300;
const SEED = Buffer.alloc(32, 7);
const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const DOCUMENT = Buffer.from('A letter, ä and 中.');

const idOf = (n) => `evt_${String(n).padStart(26, '0')}`;

/** The last page holds nothing else. */
const isSecret = (seq) => seq % 3 === 1 || seq > 2_000;

function recordOf({ seq, source_system }) {
  const record = canonicalJson({
    event_effective_timestamp: '2026-03-02T14:11:09.123Z',
    event_family: 'claim',
    event_id: idOf(seq),
    member_id: 'M-1',
    payload: { rationale: `tab\t and ä ${seq}`, ...(isSecret(seq) ? { sensitivity: '42CFR2' } : {}) },
    source_system,
    tenant_id: 't',
  });
  const hash = sha256(`entry ${seq}`);
  const chain = { commit: hash, fields: hash, member_tag: null, prev_hash: hash, entry_hash: hash };
  const recorded_at = '2026-03-02T14:11:10.004Z';
  const row = { event_id: idOf(seq), source_system, seq, recorded_at, ...chain, disposal_id: null };
  if (seq % 500 === 3 && !isSecret(seq))
    return { ...row, record: null, seed: null, worm_sha256: null, disposal_id: 'dsp_1' };
  return { ...row, record, seed: sha256(`seed ${seq}`), worm_sha256: sha256(record) };
}

const DOCUMENT_FACTS = {
  document_id: 'doc_1',
  sha256: sha256(DOCUMENT),
  size: DOCUMENT.length,
  media_type: 'text/plain',
  tags: [],
  member_ids: ['M-1'],
  event_ids: [idOf(5)],
  matter_id: null,
  source_system: null,
  effective_at: null,
  created_at: '2026-03-02T00:00:00.000Z',
  status: 'AVAILABLE',
  scan: { status: 'CLEAN', engine: null, findings: [] },
  rendition: null,
};
/** Acts of the service, with their records. */
const acts = new Map();
const actOf = (tree_index, source_system, seq, subject, { name, payload = {}, type = 'NOTED' }) => {
  const record = canonicalJson({
    event_effective_timestamp: '2026-03-02T15:00:00.000Z',
    event_family: 'act',
    event_id: `evt_${source_system}_${seq}`,
    event_type: type,
    payload: { actor: { id: 'key_1', type: 'KEY' }, subject, ...payload },
    received_at: '2026-03-02T15:00:00.000Z',
    source_record_id: name ?? `${subject.kind}/${subject.id}`,
    source_system,
    tenant_id: 't',
  });
  const entry_hash = sha256(`act ${source_system} ${seq}`);
  const chain = { commit: entry_hash, fields: entry_hash, member_tag: null, prev_hash: entry_hash, entry_hash };
  const kind = { _custody: 'CUSTODY', _system: 'SYSTEM', _records: 'RECORD' }[source_system];
  acts.set(`${source_system} ${seq}`, {
    ...{
      event_id: `evt_${source_system}_${seq}`,
      source_system,
      seq,
      recorded_at: '2026-03-02T15:00:00.004Z',
      ...chain,
    },
    ...{ record, seed: sha256(`seed ${source_system} ${seq}`), worm_sha256: sha256(record), disposal_id: null },
  });
  const about = { subject_type: subject.kind.toUpperCase(), subject_id: subject.id };
  return { tree_index, kind, ...about, partition: source_system, seq, entry_hash };
};
const fact = (state) => ({ fact: 'eas.fact/v2', action: 'x', previous: null, state });

const ENTRY = actOf(
  41,
  '_custody',
  1,
  { kind: 'MEMBER', id: 'M-1' },
  {
    payload: { purpose: 'a\tb\\c\n', recipient: '-', member_ids: ['M-outside'] },
  },
);
const DISPOSAL = actOf(
  4_597,
  '_system',
  1,
  { kind: 'retention', id: 'dsp_1' },
  { name: 'dsp_1', type: 'records.disposed' },
);
const DOCUMENT_FACT = actOf(
  4_595,
  '_records',
  1,
  { kind: 'document', id: 'doc_1' },
  {
    payload: fact({ sha256: DOCUMENT_FACTS.sha256, size: DOCUMENT_FACTS.size, status: 'AVAILABLE' }),
  },
);
const SEALING = { source_system: '_records', seq: 2 };
let announced = null;
const sealingFact = (sealing) => {
  const payload = { ...fact({ scope: { tenant_id: 't', member_id: 'M-1' } }), ...sealing };
  announced = actOf(2 * EVENTS + 3, '_records', 2, { kind: 'bundle', id: 'bdl_1' }, { payload });
  return announced;
};
const chainOf = ({ subjects, system_ids, record_ids }) => [
  ...(subjects.some(({ kind }) => kind === 'MEMBER') ? [ENTRY] : []),
  ...(system_ids.includes('dsp_1') ? [DISPOSAL] : []),
  ...(record_ids.includes('document/doc_1') ? [DOCUMENT_FACT] : []),
  ...(record_ids.includes('bundle/bdl_1') ? [announced] : []),
];

const MAP_ENTRY = actOf(2 * EVENTS, '_map', 1, { kind: 'map', id: '1' }, { type: 'map.committed' });
const logLeaves = (sequences) =>
  sequences.map((seq) => ({
    entry_hash: sha256(`entry ${seq}`),
    cause_index: 2 * (seq - 1),
    ...{ event_id: idOf(seq), source_system: 'um', seq, tree_index: 2 * (seq - 1) },
  }));

const DENIAL = { consent_id: 'cns_1', member_ids: ['M-1'], decision: 'DENY', categories: [] };

/** Other parts of the service; `failing` throws at the call of that number. */
function partsOf(failing, terms = []) {
  let calls = 0;
  const consented = Array.from({ length: EVENTS }, (_, n) => n + 1);
  const call = async (answer) => {
    calls++;
    if (calls === failing) throw new Error('the part that was to fail');
    return answer;
  };
  const places = Array.from({ length: EVENTS }, (_, n) => ({ tree_index: 2 * n, source_system: 'um', seq: n + 1 }));
  const parts = {
    maxEvents: 1_000_000,
    ledgerRecords: {
      select: () => call({ places: [...places].reverse(), next_cursor: null }),
      records: (_tenant, wanted) =>
        call(wanted.map((place) => acts.get(`${place.source_system} ${place.seq}`) ?? recordOf(place))),
      chain: (_tenant, wanted) => call(chainOf(wanted)),
      inclusion: (_tenant, _tree, blocks) => call(blocks.map(({ block }) => ({ block, nodes: [], path: [] }))),
      heads: () => call([{ source_system: 'um', seq: EVENTS, hash: sha256('h') }]),
      anchors: () => call({ is_anchored: false, anchors: [], unanchored: { since_size: 0, since: null } }),
    },
    consent: {
      decide: (_tenant, { member_ids }) => call(verdictOf({ member_ids, terms, part2_source_systems: [] })),
    },
    documents: { list: () => call({ items: [DOCUMENT_FACTS], next_cursor: null }) },
    holds: {
      covering: (_tenant, subjects) => call(new Map(subjects.slice(0, 1).map(({ id }) => [id, ['hld_1']]))),
      facts: () => call([{ hold_id: 'hld_1', name: 'Hold', status: 'ACTIVE' }]),
    },
    redactions: {
      ofEvents: (_tenant, ids) =>
        call(new Map(ids.slice(7, 8).map((id) => [id, { redaction_id: 'rdx_1', pointers: ['/payload/rationale'] }]))),
    },
    stateMaps: {
      log: () => call({ leaves: logLeaves(consented), count: EVENTS }),
      proof: (_tenant, _size, { last }) => call(last ? 'BAA=' : ''),
    },
    checkpoints: {
      force: () => call({ incarnation: 1, tree_size: 2 * EVENTS + 9, root_hash: sha256('r2'), note: 'n2' }),
    },
    announceSeal: (_build, sealing) => call({ ...SEALING, entry_hash: sealingFact(sealing).entry_hash }),
    // An invalid manifest is not signed.
    signingKeys: { sign: (_key, bytes) => call(JSON.parse(bytes) && ed25519Sign(SEED, bytes)) },
    tenants: { find: () => call({ tenant_id: 't', log_id: 'log_1' }) },
    verifierFiles: () => call([{ path: 'verify/README.txt', content: Buffer.from('Read me.\n') }]),
  };
  return { parts, calls: () => calls };
}

const FROZEN = {
  round: 1,
  sealed_at: '2026-03-02T16:00:00.000Z',
  member_ids: ['M-1'],
  member_tags: [sha256('tag')],
  map: { tree_size: 2 * EVENTS, root: sha256('map'), entry: { ...MAP_ENTRY, source_system: '_map' } },
  event_ids: [],
  document_ids: [],
  checkpoint: {
    origin: 'eas.test/eas/log_1',
    incarnation: 1,
    tree_size: 2 * EVENTS,
    root_hash: sha256('r'),
    note: 'n',
  },
  generator: { name: 'g', version: '1' },
  key: { key_id: 'sgk_1', public_key: ed25519Jwk(SEED) },
};
const BUNDLE = {
  bundle_id: 'bdl_1',
  tenant_id: 't',
  bundle_type: 'MEMBER',
  scope: { tenant_id: 't', member_id: 'M-1' },
  profile: 'full',
  consent: process.argv.includes('--purpose') ? { purpose: 'TREATMENT', actors: ['key_1'] } : null,
  requested_by: 'counsel',
  regenerated_from: null,
  created_at: new Date(Date.UTC(2026, 2, 2)),
};

/** Stores copies, as the database does: a read returns another object than the written one. */
function inputsOver(kept) {
  return {
    async kept(kind, n, make) {
      const name = `${kind} ${n}`;
      if (!kept.has(name)) kept.set(name, structuredClone(await make()));
      const value = structuredClone(kept.get(name));
      for (const [key, bytes] of Object.entries(value)) {
        if (bytes instanceof Uint8Array) value[key] = Buffer.from(bytes);
      }
      return value;
    },
  };
}

async function built({ parts }, kept) {
  const hash = createHash('sha256');
  const worm = {
    forTenant: () => ({
      async *readBlob() {
        yield DOCUMENT;
      },
      async putBlob(content) {
        let sizeBytes = 0;
        for await (const chunk of content) {
          hash.update(chunk);
          sizeBytes += chunk.length;
        }
        return { sha256: hash.digest('hex'), sizeBytes };
      },
    }),
  };
  const spools = new Spools(tmpdir(), `rebuild-${process.pid}`);
  const build = {
    bundle: BUNDLE,
    tenantId: 't',
    frozen: FROZEN,
    inputs: inputsOver(kept),
    spools,
    reportProgress: async () => undefined,
  };
  const deps = { ...parts, archives: archiveStore(worm, null) };
  try {
    const rows = await rowsOf(deps, build);
    const seal = await sealArchive(deps, build, await spoolEvents(deps, build, rows));
    return seal.worm_blob_sha256;
  } finally {
    await spools.close();
  }
}

const whole = partsOf(0);
const first = new Map();
const hashes = [await built(whole, first)];
let failed = 0;
if (process.argv.includes('--fail-each')) {
  for (let failing = 1; failing <= whole.calls(); failing++) {
    const kept = new Map();
    await built(partsOf(failing), kept).then(
      () => process.exit(3),
      () => {
        failed++;
      },
    );
    hashes.push(await built(partsOf(0), kept));
  }
}
if (process.argv.includes('--purpose')) hashes.push(await built(partsOf(0, [DENIAL]), first));
const anew = await built(partsOf(0, [DENIAL]), new Map());
process.stdout.write(JSON.stringify({ hashes: [...new Set(hashes)], failed, calls: whole.calls(), anew }));
