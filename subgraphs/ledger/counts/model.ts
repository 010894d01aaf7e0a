import { type Collection, type Db, type Document, type Filter, MaxKey } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { AI_PROVENANCE_PARTITION, SYSTEM_PARTITIONS } from '../../../shared/ids/tenant.js';
import type { LedgerRow } from '../append/domain/index.js';
import { LEDGER_COLLECTION } from '../append/index.js';
import { lastOf } from './domain/blocks.js';
import { type CountedRow, dayOf } from './domain/event-tally.js';
import type {
  AlikeEventsOfSource,
  CountStore,
  ExceptionCount,
  IngestCount,
  TenantCounts,
  TimeWindow,
} from './ports.js';

const COUNT_COLLECTION = 'ledger_counts';

/** A stored tally; a lost row only costs counting again. */
interface StoredBlock {
  readonly _id: {
    readonly tenant_id: string;
    readonly source_system: string;
    readonly from_seq: number;
    readonly size: number;
  };
  readonly tally: string;
}

const COUNTED_FIELDS = { _id: 0, recorded_at: 1, query: 1 } as const;
const RESERVED = [...SYSTEM_PARTITIONS, AI_PROVENANCE_PARTITION];

export function mongoCountStore(db: Db): CountStore {
  const collections = {
    rows: db.collection<LedgerRow>(LEDGER_COLLECTION),
    blocks: db.collection<StoredBlock>(COUNT_COLLECTION),
    exceptions: db.collection('exceptions'),
    ingests: db.collection('ingests'),
  };
  return (tenantId) => new MongoTenantCounts(collections, tenantId);
}

interface Collections {
  readonly rows: Collection<LedgerRow>;
  readonly blocks: Collection<StoredBlock>;
  readonly exceptions: Collection;
  readonly ingests: Collection;
}

/** Counts of one tenant over the driver's collections; every filter starts with the tenant. */
class MongoTenantCounts implements TenantCounts {
  readonly #in: Collections;
  readonly #tenantId: string;

  constructor(collections: Collections, tenantId: string) {
    this.#in = collections;
    this.#tenantId = tenantId;
  }

  async blocks(sourceSystem: string) {
    const found = await this.#in.blocks.find(this.#within(sourceSystem)).sort({ _id: 1 }).toArray();
    return found.map(({ _id, tally }) => ({ from_seq: _id.from_seq, size: _id.size, tally }));
  }

  async keep(sourceSystem: string, block: { from_seq: number; size: number; tally: string }): Promise<void> {
    const _id = this.#blockId(sourceSystem, block.from_seq, block.size);
    try {
      await this.#in.blocks.insertOne({ _id, tally: block.tally }, { writeConcern: DURABLE });
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
    }
  }

  async drop(sourceSystem: string, blocks: readonly { from_seq: number; size: number }[]): Promise<void> {
    if (blocks.length === 0) return;
    const ids = blocks.map(({ from_seq, size }) => this.#blockId(sourceSystem, from_seq, size));
    await this.#in.blocks.deleteMany({ _id: { $in: ids } });
  }

  async rows(sourceSystem: string, fromSeq: number, toSeq: number, limit: number): Promise<readonly CountedRow[]> {
    const id = (seq: number) => ({ tenant_id: this.#tenantId, source_system: sourceSystem, seq });
    const options = { projection: COUNTED_FIELDS, sort: { _id: 1 }, limit, batchSize: limit + 1 } as const;
    return this.#in.rows.find({ _id: { $gte: id(fromSeq), $lte: id(toSeq) } }, options).toArray();
  }

  async recount({ fromMs, toMs }: { fromMs: number; toMs: number }): Promise<readonly AlikeEventsOfSource[]> {
    const groups = await this.#in.rows
      .aggregate<{ _id: Omit<AlikeEventsOfSource, 'day' | 'count'>; count: number }>([
        {
          $match: {
            tenant_id: this.#tenantId,
            'query.effective_at': { $gte: new Date(fromMs), $lt: new Date(toMs) },
            source_system: { $nin: RESERVED },
          },
        },
        {
          $group: {
            _id: {
              source_system: '$source_system',
              family: '$query.event_family',
              type: '$query.event_type',
              outcome: { $ifNull: ['$query.outcome', null] },
            },
            count: { $sum: 1 },
          },
        },
      ])
      .toArray();
    return groups.map(({ _id, count }) => ({ ..._id, day: dayOf(fromMs), count }));
  }

  async exceptions(window: TimeWindow): Promise<readonly ExceptionCount[]> {
    const match = { tenant_id: this.#tenantId, ...between('created_at', window, (ms) => new Date(ms)) };
    const groups = await this.#in.exceptions
      .aggregate<{ _id: Omit<ExceptionCount, 'count'>; count: number }>([
        { $match: match },
        { $group: { _id: { kind: '$kind', status: '$status', severity: '$severity' }, count: { $sum: 1 } } },
      ])
      .toArray();
    return groups.map(({ _id, count }) => ({ ..._id, count }));
  }

  async ingests(window: TimeWindow): Promise<readonly IngestCount[]> {
    const ids = {
      $gte: { tenant_id: this.#tenantId },
      $lt: { tenant_id: this.#tenantId, ingest_id: new MaxKey() },
    };
    const sum = (name: string) => ({ $sum: `$answer.${name}` });
    const groups = await this.#in.ingests
      .aggregate<Omit<IngestCount, 'format'> & { _id: string }>([
        { $match: { _id: ids, ...between('answer.received_at', window, (ms) => new Date(ms).toISOString()) } },
        {
          $group: {
            _id: '$answer.format',
            count: { $sum: 1 },
            transactions: sum('transactions'),
            accepted: sum('accepted'),
            duplicated: sum('duplicated'),
            rejected: sum('rejected'),
          },
        },
      ])
      .toArray();
    return groups.map(({ _id, ...counts }) => ({ format: _id, ...counts }));
  }

  #blockId(source_system: string, from_seq: number, size: number): StoredBlock['_id'] {
    return { tenant_id: this.#tenantId, source_system, from_seq, size };
  }

  #within(sourceSystem: string): Filter<StoredBlock> {
    const last = lastOf({ from_seq: Number.MAX_SAFE_INTEGER, size: 1 });
    return { _id: { $gte: this.#blockId(sourceSystem, 0, 0), $lte: this.#blockId(sourceSystem, last, last) } };
  }
}

function between(field: string, { fromMs, toMs }: TimeWindow, bound: (ms: number) => Date | string): Document {
  if (fromMs === undefined && toMs === undefined) return {};
  return {
    [field]: {
      ...(fromMs === undefined ? {} : { $gte: bound(fromMs) }),
      ...(toMs === undefined ? {} : { $lt: bound(toMs) }),
    },
  };
}
