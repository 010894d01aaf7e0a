import type { Db } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { dueAgain, dueAt } from '../../../shared/jobs/work-queue.js';
import type { GraphCursorRow, GraphCursors } from '../service/ports/graph-cursors.js';
import { GRAPH_CURSOR_COLLECTION } from './graph-model.js';

/** What makes a row due is a hint that the look gives again: it need not wait for the disk. */
const PASSING = { writeConcern: { w: 1 }, readConcern: { level: 'local' } } as const;
const ABSENT = { $exists: false } as const;

/** Tenant ids hold no spaces, so that no two chains share an id. */
const idOf = (tenantId: TenantId, generation: number, chain: string): string => `${tenantId} ${generation} ${chain}`;

export function mongoGraphCursors(db: Db): GraphCursors {
  const rows = db.collection<GraphCursorRow>(GRAPH_CURSOR_COLLECTION, PASSING);
  const ofGeneration = (tenantId: TenantId, generation: number) => ({
    _id: { $gte: idOf(tenantId, generation, ''), $lt: `${tenantId} ${generation}!` },
  });
  return {
    collection: GRAPH_CURSOR_COLLECTION,
    of: async (tenantId, generation) => {
      const found = await rows.find(ofGeneration(tenantId, generation)).toArray();
      return found.map(({ source_system, seq }) => ({ source_system, sequence: seq }));
    },
    makeDue: async (tenantId, generation, chains, nowMs) => {
      const since = new Date(nowMs);
      const _id = { $in: chains.map((chain) => idOf(tenantId, generation, chain)) };
      const { set, unset } = dueAgain(nowMs);
      const { matchedCount } = await rows.updateMany(
        { _id, next_attempt_at: ABSENT, lease_until: ABSENT },
        { $set: { ...set, behind_since: since }, $unset: Object.fromEntries(unset.map((name) => [name, ''])) },
      );
      // Each was at rest, and is due: nobody holds one, and none is missing.
      if (matchedCount === chains.length) return [];
      const there = await rows.find({ _id }).project<GraphCursorRow>({ source_system: 1, lease_until: 1 }).toArray();
      const known = new Set(there.map(({ source_system }) => source_system));
      const fresh = chains.filter((chain) => !known.has(chain));
      await insertNew(
        fresh.map((chain) => ({
          _id: idOf(tenantId, generation, chain),
          tenant_id: tenantId,
          generation,
          source_system: chain,
          seq: 0,
          behind_since: since,
          ...dueAt(nowMs),
        })),
      );
      return there.flatMap(({ source_system, lease_until }) => (lease_until === undefined ? [] : [source_system]));
    },
    place: (tenantId, generation, heads) =>
      insertNew(
        heads.map(({ source_system, sequence }) => ({
          _id: idOf(tenantId, generation, source_system),
          tenant_id: tenantId,
          generation,
          source_system,
          seq: sequence,
        })),
      ),
    dropBefore: async (tenantId, generation) => {
      await rows.deleteMany({
        _id: { $gte: `${tenantId} `, $lt: `${tenantId}!` },
        generation: { $lt: generation },
      });
    },
    oldestBehindMs: async () => {
      const behind = { behind_since: { $exists: true } };
      const [oldest] = await rows.find(behind).sort({ behind_since: 1 }).limit(1).toArray();
      return oldest?.behind_since?.getTime() ?? null;
    },
  };

  async function insertNew(documents: readonly GraphCursorRow[]): Promise<void> {
    if (documents.length === 0) return;
    try {
      await rows.insertMany([...documents], { ordered: false, writeConcern: DURABLE });
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
    }
  }
}
