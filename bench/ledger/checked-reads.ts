import type { Document } from 'mongodb';
import { systemClock } from '../../shared/clock/clock.js';
import { delay } from '../../shared/clock/timers.js';
import { MasterKey } from '../../shared/crypto/master-key.js';
import { connectDatabase, type Database } from '../../shared/db/database.js';
import { problem } from '../../shared/errors/problem.js';
import { FactGuard } from '../../shared/facts/guard.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import type { TenantContext } from '../../subgraphs/ledger/append/index.js';
import { mongoLedgerStore } from '../../subgraphs/ledger/append/index.js';
import { mongoEventKeys } from '../../subgraphs/ledger/event-keys/index.js';
import { type ListSight, listEvents, readEvent } from '../../subgraphs/ledger/events/read-events.js';
import { mongoFactRows } from '../../subgraphs/ledger/facts/index.js';
import { readFacts } from '../../subgraphs/ledger/facts/read-facts.js';
import { mongoRedactionRows, provenRedactions, type RedactionStore } from '../../subgraphs/ledger/redactions/index.js';
import { type RowProofs, rowProofs } from '../../subgraphs/ledger/row-proofs/index.js';
import { mongoTreeStore, ProvenEntries, SignedLeaves } from '../../subgraphs/ledger/transparency/index.js';
import { benchEnvelope } from '../support/events.js';
import { describeRun, type Ratio, ratioOf, timed } from '../support/measure.js';
import type { Stack } from '../support/stack.js';

// Measures reads of events with and without the comparison with facts of disposals and with the signed tree. Both sides read
// the same database in this process and check each record up to its entry hash. Members are drawn by Zipf's law.

const EVENTS = Number(process.env['BENCH_READ_EVENTS'] ?? 50_000);
const MEMBERS = Number(process.env['BENCH_READ_MEMBERS'] ?? 5_000);
const BATCH = 500;
const ROUNDS = 5;
const READS = 2_000;
const PAGES = 200;
const PAGE = 50;
const CONNECTIONS = 8;
const SEED = 20_260_302;
/** A checked read may cost 1.15 of an unchecked one. */
const AIM = 1 / 1.15;

export async function benchCheckedReads(stack: Stack): Promise<readonly Ratio[]> {
  await fill(stack);
  const database = await connectDatabase(stack.uri);
  try {
    const kit = await openKit(database, stack.rest.tenantId);
    const members = await eventsByMember(database, stack.rest.tenantId);
    return [
      await compare('checked / unchecked reads of an event', READS, kit, async (sight, draw) => {
        const ids = members[draw(members.length)] ?? [];
        return (await readEvent(kit.tenant, sight, ids[draw(ids.length)] ?? '')) === null ? 0 : 1;
      }),
      await compare('checked / unchecked pages of a member', PAGES, kit, async (sight, draw) => {
        const member_id = nameOf(draw(members.length));
        return (await listEvents(kit.tenant, sight, { member_id, limit: PAGE })).items.length;
      }),
    ];
  } finally {
    await database.close();
  }
}

const nameOf = (member: number): string => `Z-${member}`;

type Draw = (of: number) => number;
type Read = (sight: ListSight, draw: Draw) => Promise<number>;

async function compare(name: string, calls: number, { checked, unchecked }: Kit, read: Read): Promise<Ratio> {
  const lines: string[] = [];
  const pairs: [number, number][] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    // Both sides draw the same members.
    const run = (sight: ListSight) => {
      const draw = zipf(SEED + round);
      return timed(calls, CONNECTIONS, () => read(sight, draw));
    };
    const [ours, base] = [await run(checked), await run(unchecked)];
    lines.push(describeRun(round === 0 ? 'checked, first round' : 'checked', ours), describeRun('unchecked', base));
    // The first round warms both up: the checked side verifies its first tiles.
    if (round > 0) pairs.push([ours.perSecond, base.perSecond]);
  }
  return ratioOf(name, AIM, pairs, lines);
}

interface Kit {
  readonly tenant: TenantContext;
  readonly checked: ListSight;
  readonly unchecked: ListSight;
}

async function openKit({ db }: Database, tenantId: string): Promise<Kit> {
  // The events of this benchmark have no facts, so that no key of the service is compared.
  const factRows = mongoFactRows(db, new MasterKey(Buffer.alloc(32, 7)));
  const refused = async (): Promise<never> => {
    throw problem('INTERNAL', { internal: 'a benchmark of reads met damage' });
  };
  const leaves = await signedLeaves(db, tenantId);
  const provenEntries = new ProvenEntries({ leaves, tenants: { of: async () => tenant } });
  const guard = new FactGuard({
    facts: {
      append: refused,
      read: (tenant, questions) => readFacts({ tenantId: tenant, rows: factRows(tenant), provenEntries }, questions),
      subjects: refused,
      refs: refused,
      changedSince: refused,
      changesAfter: refused,
      naming: refused,
    },
    exceptions: { open: refused },
    custody: { record: refused },
    clock: systemClock,
    sweeps: { hasSwept: async () => false, settledMs: async () => 0 },
    kinds: [],
  });
  const eventKeys = mongoEventKeys(db);
  const redactions = provenRedactions({ clock: systemClock, guard, rows: mongoRedactionRows(db) });
  const sightOf = (proofs: RowProofs): ListSight => ({ rowProofs: proofs, eventKeys, unredacted: false });
  // Reads use no other member of the context.
  const tenant = {
    tenantId,
    ledger: mongoLedgerStore(db).forTenant(tenantId),
    tree: mongoTreeStore(db)(tenantId),
    genesis: () => '',
  } as Partial<TenantContext> as TenantContext;
  return {
    tenant,
    checked: sightOf(rowProofs({ guard, redactions, leaves })),
    unchecked: sightOf(unchecked(redactions)),
  };
}

/** Reads places in the tree and redactions, and compares nothing with facts of disposals or with the tree. */
const unchecked =
  (redactions: RedactionStore): RowProofs =>
  async ({ tenantId, tree }, rows) => {
    const sources = [...new Set(rows.map(({ _id }) => _id.source_system))];
    const [places, hidden] = await Promise.all([
      Promise.all(
        sources.map(async (name) => {
          const own = rows.filter(({ _id }) => _id.source_system === name).map(({ _id }) => _id.seq);
          return [name, await tree.treeIndexOf(name, own)] as const;
        }),
      ),
      redactions(tenantId).of(rows.map(({ event_id }) => event_id)),
    ]);
    const byName = new Map(places);
    return rows.map(({ _id, event_id }) => ({
      hidden: hidden.get(event_id) ?? null,
      disposalId: null,
      treeIndex: byName.get(_id.source_system)?.get(_id.seq) ?? null,
    }));
  };

/** The comparison with the tree, under the key and the origin of the service that is measured. */
async function signedLeaves(db: Database['db'], tenantId: string): Promise<SignedLeaves> {
  const checkpoint = await mongoTreeStore(db)(tenantId).latestCheckpoint();
  const key = await db
    .collection<Document & { _id: string }>('signing_keys')
    .findOne({ _id: checkpoint?.key_id ?? '' });
  if (checkpoint === null || key === null) throw new Error('no checkpoint');
  const [deployment = '', log_id = ''] = checkpoint.origin.replace(/\/inc-\d+$/, '').split('/eas/');
  return new SignedLeaves({
    deployment,
    tenants: { find: async () => ({ tenant_id: tenantId as TenantId, log_id, status: 'ACTIVE' }) },
    signingKeys: {
      publicKey: async (key_id) => ({
        key_id,
        tenant_id: tenantId as TenantId,
        purpose: 'CHECKPOINT',
        algorithm: 'Ed25519',
        public_key: { kty: 'OKP', crv: 'Ed25519', x: String(key['x']) },
        status: 'ACTIVE',
        from: null,
        until: null,
        revocation: null,
        history: [],
      }),
    },
  });
}

async function fill({ rest, raw }: Stack): Promise<void> {
  for (let from = 0; from < EVENTS; from += BATCH) {
    const events = Array.from({ length: BATCH }, (_, i) => ({
      ...benchEnvelope(from + i, `reads-${(from + i) % 4}`),
      member_id: nameOf((from + i) % MEMBERS),
    }));
    await rest.post('/v1/events', JSON.stringify(events));
  }
  // Until a checkpoint covers all events.
  const checkpoints = raw.db('eas').collection('ledger_checkpoints');
  while ((await checkpoints.countDocuments({ tenant_id: rest.tenantId, tree_size: { $gte: EVENTS } })) === 0) {
    await delay(200);
  }
}

/** Events of each member, by the member's number. */
async function eventsByMember({ db }: Database, tenant_id: string): Promise<readonly (readonly string[])[]> {
  const found: string[][] = Array.from({ length: MEMBERS }, () => []);
  const filter = { tenant_id, 'query.member_id': { $regex: /^Z-/ } };
  const rows = db.collection('ledger').find(filter, { projection: { event_id: 1, 'query.member_id': 1 } });
  for await (const row of rows) found[Number(String(row['query'].member_id).slice(2))]?.push(String(row['event_id']));
  return found;
}

/** Draws numbers below `of`: the k-th is drawn in proportion to 1/k. */
function zipf(seed: number): Draw {
  let state = seed;
  return (of) => {
    // Park and Miller's generator: the same draws in every run.
    state = (state * 48_271) % 2_147_483_647;
    return Math.min(of - 1, Math.floor((of + 1) ** (state / 2_147_483_647)) - 1);
  };
}
