// A build over fixed inputs, in a process of its own: `node rebuild.mjs` prints the hash of the ZIP; `--fail-each` lets each
// call of another part fail in turn, builds on from what was kept, and prints the hashes that came of it. `--purpose`: a bundle
// with a stated purpose; consent says otherwise when what was kept of it is built again, and when all is built anew.
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { verdictOf } from '../../dist/shared/consent/verdict.js';
import { ed25519Jwk, ed25519Sign } from '../../dist/shared/crypto/ed25519.js';
import { canonicalJson } from '../../dist/shared/json/canonical.js';
import { archiveStore } from '../../dist/subgraphs/bundles/adapters/archive-store.js';
import { Spools } from '../../dist/subgraphs/bundles/adapters/spool.js';
import { sealArchive } from '../../dist/subgraphs/bundles/service/seal-archive.js';
import { rowsOf } from '../../dist/subgraphs/bundles/service/select-rows.js';
import { spoolEvents } from '../../dist/subgraphs/bundles/service/spool-events.js';

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
  const chain = { commit: hash, fields: hash, prev_hash: hash, entry_hash: hash };
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
const ENTRY = {
  tree_index: 41,
  kind: 'CUSTODY',
  at: '2026-03-02T15:00:00.000Z',
  subject_type: 'MEMBER',
  subject_id: 'M-1',
  action: 'NOTED',
  actor_type: 'KEY',
  actor_id: 'key_1',
  purpose: 'a\tb\\c\n',
  recipient: '-',
  sha256_before: null,
  sha256_after: null,
  partition: '_custody',
  seq: 1,
  prev_hash: sha256('p'),
  entry_hash: sha256('entry 1'),
};

const DISPOSAL = { ...ENTRY, tree_index: 4_597, kind: 'SYSTEM', subject_type: 'RETENTION', subject_id: 'dsp_1' };
const chainOf = ({ subjects, system_ids }) => [
  ...(subjects.some(({ kind }) => kind === 'MEMBER') ? [ENTRY] : []),
  ...(system_ids.includes('dsp_1') ? [{ ...DISPOSAL, action: 'records.disposed', partition: '_system' }] : []),
];

const DENIAL = { consent_id: 'cns_1', member_ids: ['M-1'], decision: 'DENY', categories: [] };

/** Other parts of the service; `failing` throws at the call of that number. */
function partsOf(failing, terms = []) {
  let calls = 0;
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
      records: (_tenant, wanted) => call(wanted.map(recordOf)),
      chain: (_tenant, wanted) => call(chainOf(wanted)),
      inclusion: (_tenant, _tree, blocks) => call(blocks.map(({ block }) => ({ block, nodes: [], path: [] }))),
      heads: () => call([{ source_system: 'um', seq: EVENTS, hash: sha256('h') }]),
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
    // A manifest that does not parse is signed by nobody.
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

/** Kept as the database keeps it: what is given back is not what was put in. */
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
    tell: async () => undefined,
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
