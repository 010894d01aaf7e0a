import type { Collection, Db } from 'mongodb';
import type { Logger } from '../telemetry/logger.js';
import type { RecordMedium } from './records/medium.js';
import type { SegmentDirectory, SegmentRow } from './segments/directory.js';

interface IndexRow {
  readonly _id: { readonly tenant_id: string; readonly sha256: string };
  readonly segment: string;
  /** Position in the segment's natural order, from 0. */
  readonly place: number;
}

const BATCH_ROWS = 1000;

/**
 * Maintains `worm_index`, which maps records to segments. An open segment is searched directly; its rows are written once,
 * when it is full, so that no append inserts a second random key. The index can be dropped and is rebuilt from the segments;
 * reads never depend on it.
 */
export class WormIndex {
  readonly #medium: Pick<RecordMedium, 'inOrder'>;
  readonly #rows: Collection<IndexRow>;
  readonly #directory: SegmentDirectory;
  readonly #logger: Logger;
  readonly #filling = new Map<string, Promise<void>>();
  #closing = false;

  constructor(db: Db, medium: Pick<RecordMedium, 'inOrder'>, directory: SegmentDirectory, logger: Logger) {
    this.#medium = medium;
    this.#rows = db.collection<IndexRow>('worm_index');
    this.#directory = directory;
    this.#logger = logger;
  }

  /** Returns the indexed segments that hold any of these records. */
  async segmentsOf(tenantId: string, sha256s: readonly string[]): Promise<string[]> {
    const ids = sha256s.map((sha256) => ({ tenant_id: tenantId, sha256 }));
    const rows = await this.#rows.find({ _id: { $in: ids } }, { projection: { segment: 1 } }).toArray();
    return [...new Set(rows.map((row) => row.segment))].filter((segment) => typeof segment === 'string');
  }

  /** Starts to index, in the background, the full segments of this list that are not indexed. */
  fillFrom(tenantId: string, segments: readonly SegmentRow[]): void {
    for (const segment of segments) {
      if (segment.state === 'OPEN' || segment.indexed || this.#closing || this.#filling.has(segment._id)) continue;
      const filling = this.fill(tenantId, segment._id)
        .catch((error: unknown) => this.#logger.error({ err: error, segment: segment._id }, 'worm index not written'))
        .finally(() => this.#filling.delete(segment._id));
      this.#filling.set(segment._id, filling);
    }
  }

  /** Writes the rows of one segment; idempotent. */
  async fill(tenantId: string, segment: string): Promise<void> {
    let place = 0;
    let batch: IndexRow[] = [];
    for await (const sha256 of this.#medium.inOrder(segment)) {
      if (this.#closing) return;
      batch.push({ _id: { tenant_id: tenantId, sha256 }, segment, place: place++ });
      if (batch.length < BATCH_ROWS) continue;
      await this.#write(batch);
      batch = [];
    }
    await this.#write(batch);
    await this.#directory.markIndexed(segment);
  }

  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#filling.values());
  }

  async #write(batch: readonly IndexRow[]): Promise<void> {
    if (batch.length === 0) return;
    const upserts = batch.map((row) => ({
      updateOne: {
        filter: { _id: row._id },
        update: { $setOnInsert: { segment: row.segment, place: row.place } },
        upsert: true,
      },
    }));
    await this.#rows.bulkWrite(upserts, { ordered: false });
  }
}
