import type { Db } from 'mongodb';
import type { CodeEdition, CodeEntry, CodeTables } from '../service/ports/code-tables.js';
import { CODE_COLLECTION, CODE_TABLE_COLLECTION } from './code-model.js';

/** `_id` is `SYSTEM/EDITION/CODE`. */
export interface CodeRow {
  readonly _id: string;
  readonly system: string;
  readonly code: string;
  readonly description: string;
  readonly is_valid: boolean;
  readonly effective_from?: Date;
  readonly effective_to?: Date;
  readonly edition: string;
}

/** `_id` is the system: the row is what makes an edition the one that is read. */
export interface CodeTableRow extends Omit<CodeEdition, 'system'> {
  readonly _id: string;
  /** Editions whose rows are there, the newest first. */
  readonly kept: readonly string[];
}

/** An edition is looked up again after this long: another process may have imported a newer one. */
const EDITION_AGE_MS = 5_000;

/** Beyond every character that a code is written with. */
export const AFTER_ALL = '\uffff';

interface Clocked {
  monotonicMs(): number;
}

/** Tables of codes, read by key. The edition that is read is known for some seconds, so that a code costs one look-up. */
export function codeTables(db: Db, clock: Clocked): CodeTables {
  const rows = db.collection<CodeRow>(CODE_COLLECTION);
  const tables = db.collection<CodeTableRow>(CODE_TABLE_COLLECTION);
  let known: { readonly atMs: number; readonly editions: Promise<ReadonlyMap<string, CodeEdition>> } | null = null;
  const load = async (): Promise<ReadonlyMap<string, CodeEdition>> => {
    const found = await tables.find().sort({ _id: 1 }).toArray();
    return new Map(found.map(({ _id, kept: _, ...rest }) => [_id, { system: _id, ...rest }]));
  };
  const editions = async (): Promise<ReadonlyMap<string, CodeEdition>> => {
    const nowMs = clock.monotonicMs();
    if (known !== null && nowMs - known.atMs < EDITION_AGE_MS) return known.editions;
    const loading = { atMs: nowMs, editions: load() };
    known = loading;
    try {
      return await loading.editions;
    } catch (error) {
      if (known === loading) known = null;
      throw error;
    }
  };
  return {
    has: async (system) => (await editions()).has(system),
    find: async (system, code) => {
      const edition = (await editions()).get(system)?.edition;
      if (edition === undefined) return null;
      const row = await rows.findOne({ _id: codeRowId({ system, edition, code }) });
      return row === null ? null : entryOf(row);
    },
    known: async (system, codes) => {
      const edition = (await editions()).get(system)?.edition;
      if (edition === undefined || codes.length === 0) return new Set();
      const ids = codes.map((code) => codeRowId({ system, edition, code }));
      const found = await rows.find({ _id: { $in: ids } }, { projection: { code: 1 } }).toArray();
      return new Set(found.map(({ code }) => code));
    },
    alternatives: async (system, prefix, limit) => {
      const edition = (await editions()).get(system)?.edition;
      if (edition === undefined) return [];
      const from = codeRowId({ system, edition, code: prefix });
      const found = await rows
        .find({ _id: { $gte: from, $lt: `${from}${AFTER_ALL}` }, is_valid: true })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map((row) => entryOf(row));
    },
    editions: async () => [...(await editions()).values()],
  };
}

export const codeRowId = ({ system, edition, code }: Pick<CodeRow, 'system' | 'edition' | 'code'>): string =>
  `${system}/${edition}/${code}`;

function entryOf({ _id: _, ...entry }: CodeRow): CodeEntry {
  return entry;
}
