import type { Db } from 'mongodb';
import { DURABLE } from '../../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../../shared/db/duplicate-key.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { dueAgain, dueAt } from '../../../../shared/jobs/work-queue.js';
import { declareCollection } from '../../../../shared/records/collections.js';
import type { GraphCursorRow, GraphCursors } from '../ports.js';

/**
 * A document holds one record with all its outgoing edges, so that they are written together. `ends` holds each edge as
 * `target⏎KIND`, or `target⏎KIND⏎H` if a redaction hides it: one index finds the edges into a node by kind.
 */
export const GRAPH_RECORDS = declareCollection(
  'graph_records',
  // Reads the newest edges of a target and a kind without the others: a procedure code may have very many events.
  [{ tenant_id: 1, generation: 1, ends: 1, at: -1, node: -1 }],
);

/** The generation that readers use; `_id` is the tenant. */
export const GRAPH_GENERATIONS = declareCollection('graph_generations');

/** The position of each chain; rows of a queue (shared/jobs). */
export const GRAPH_CURSORS = declareCollection('graph_cursors', [
  { behind_since: 1 },
  { partialFilterExpression: { behind_since: { $exists: true } } },
]);

/** The scan repeats a lost notification, so it need not wait for the disk. */
const PASSING = { writeConcern: { w: 1 }, readConcern: { level: 'local' } } as const;
const ABSENT = { $exists: false } as const;

/** Tenant ids hold no spaces, so that no two chains share an id. */
const idOf = (tenantId: TenantId, generation: number, chain: string): string => `${tenantId} ${generation} ${chain}`;

export function mongoGraphCursors(db: Db): GraphCursors {
  const rows = db.collection<GraphCursorRow>(GRAPH_CURSORS.name, PASSING);
  const ofGeneration = (tenantId: TenantId, generation: number) => ({
    _id: { $gte: idOf(tenantId, generation, ''), $lt: `${tenantId} ${generation}!` },
  });
  return {
    collection: GRAPH_CURSORS.name,
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
      // All rows existed and none was held.
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
    oldestLagMs: async () => {
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
