import type { Effect, PendingEffect } from '../outbox/pending-effect.js';
import { RecordStore } from './record-store.js';
import type { SteppedRow } from './stored.js';

/** Records that are compared with their facts at once. */
export const MAX_COMPARED = 500;

/** A condition of a list that facts can answer too. */
export interface NamedCondition {
  /** The records that facts name for the condition. */
  readonly ids: readonly string[];
  /** The same condition over rows. */
  readonly filter: object;
}

/**
 * Records with facts that name other records (RowFacts `refs`). A list by such a name asks the facts too: it misses no
 * record because someone edited or removed its row.
 */
export class NamedRecords<Row extends SteppedRow, E extends Effect = PendingEffect> extends RecordStore<Row, E> {
  /**
   * Compares the records that the facts name and the rows do not, before the first page of a list. Later pages follow
   * from it.
   *
   * @returns false if the facts name a record that the rows did not, so that its row may be newer than a page.
   * @throws INTEGRITY_FAILURE
   */
  protected async requireComplete(condition: NamedCondition): Promise<boolean> {
    const unlisted = await this.unlisted(condition);
    for (const part of inBatches(unlisted, MAX_COMPARED)) await this.among(part);
    return unlisted.length === 0;
  }

  /** The records that facts name for a condition and rows do not. */
  protected async unlisted({ ids, filter }: NamedCondition): Promise<readonly string[]> {
    const unlisted: string[] = [];
    for (const part of inBatches(ids, MAX_COMPARED)) {
      const listed = new Set(await this.idsWhere({ ...filter, tenant_id: this.tenantId, _id: { $in: [...part] } }));
      unlisted.push(...part.filter((id) => !listed.has(id)));
    }
    return unlisted;
  }

  protected async idsWhere(filter: object): Promise<readonly string[]> {
    const found = await this.documents.find(filter, { projection: { _id: 1 }, batchSize: MAX_COMPARED + 1 }).toArray();
    return found.map(({ _id }) => _id);
  }
}

export function* inBatches(ids: readonly string[], size: number): Generator<readonly string[]> {
  for (let from = 0; from < ids.length; from += size) yield ids.slice(from, from + size);
}

/** The names in a condition of a list: one, any of several, or none. */
export const namesIn = (value: string | null | undefined | readonly (string | null)[]): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
