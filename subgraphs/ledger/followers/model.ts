import type { Db } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { dueAgain, dueAt } from '../../../shared/jobs/work-queue.js';
import type { Chain, ConsumerCursors, ConsumerRow } from './ports.js';

/** Tenant ids hold no spaces, so that no two chains share an id. */
const idOf = ({ tenantId, sourceSystem }: Chain): string => `${tenantId} ${sourceSystem}`;
const chainOf = ({ tenant_id, source_system }: Pick<ConsumerRow, 'tenant_id' | 'source_system'>): Chain => ({
  tenantId: tenant_id,
  sourceSystem: source_system,
});

/** Queueing a row is a hint that the full look repeats: the write need not wait for the disk. */
const PASSING = { writeConcern: { w: 1 }, readConcern: { level: 'local' } } as const;
const ABSENT = { $exists: false } as const;
/** Rows known to exist, in this process; a forgotten one only costs a redundant insert. */
const MAX_KNOWN = 50_000;

export function mongoConsumerCursors(db: Db, collection: string): ConsumerCursors {
  const rows = db.collection<ConsumerRow>(collection, PASSING);
  const known = new Set<string>();

  async function makeRows(chains: readonly Chain[], nowMs: number): Promise<void> {
    const fresh = chains.filter((chain) => !known.has(idOf(chain)));
    if (fresh.length === 0) return;
    const documents = fresh.map((chain) => ({
      _id: idOf(chain),
      tenant_id: chain.tenantId,
      source_system: chain.sourceSystem,
      seq: 0,
      ...dueAt(nowMs),
    }));
    try {
      await rows.insertMany(documents, { ordered: false, writeConcern: DURABLE });
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
    }
    if (known.size > MAX_KNOWN) known.clear();
    for (const chain of fresh) known.add(idOf(chain));
  }

  return {
    collection,
    async doneUpTo(chain) {
      return (await rows.findOne({ _id: idOf(chain) }))?.seq ?? 0;
    },
    async ofTenant(tenantId) {
      const first = `${tenantId} `;
      const found = await rows
        .find({ _id: { $gte: first, $lt: `${tenantId}!` } })
        .project<Pick<ConsumerRow, 'source_system' | 'seq'>>({ source_system: 1, seq: 1 })
        .toArray();
      return found.map(({ source_system, seq }) => ({ sourceSystem: source_system, seq }));
    },
    async makeDue(chains, nowMs) {
      await makeRows(chains, nowMs);
      const _id = { $in: chains.map(idOf) };
      const { set, unset } = dueAgain(nowMs);
      const { matchedCount } = await rows.updateMany(
        { _id, next_attempt_at: ABSENT, lease_until: ABSENT },
        { $set: set, $unset: Object.fromEntries(unset.map((name) => [name, ''])) },
      );
      // Each row was idle and is now queued: no worker holds one.
      if (matchedCount === chains.length) return [];
      const held = await rows
        .find({ _id, lease_until: { $exists: true } })
        .project<Pick<ConsumerRow, 'tenant_id' | 'source_system'>>({ tenant_id: 1, source_system: 1 })
        .toArray();
      return held.map(chainOf);
    },
    async reset(chain, nowMs) {
      await makeRows([chain], nowMs);
      const { set, unset } = dueAgain(nowMs);
      await rows.updateOne(
        { _id: idOf(chain) },
        { $set: { ...set, seq: 0 }, $unset: Object.fromEntries(unset.map((name) => [name, ''])) },
        { writeConcern: DURABLE },
      );
    },
    async advance(chain, seq) {
      await rows.updateOne({ _id: idOf(chain) }, { $max: { seq } }, { writeConcern: DURABLE });
    },
  };
}
