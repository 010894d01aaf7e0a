import type { Db } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { CodeEdition, CodeEntry, CodeImport, CodeTables } from './ports.js';

/** Editions kept: the current one, and the former one that other processes may still read for some seconds. */
const EDITIONS_KEPT = 2;

export function codeImport(db: Db): CodeImport {
  const rows = db.collection<CodeRow>(CODE_COLLECTION);
  const tables = db.collection<CodeTableRow>(CODE_TABLE_COLLECTION);
  return {
    current: async (system) => {
      const found = await tables.findOne({ _id: system });
      return found && editionOf(found);
    },
    insert: async (system, edition, lines) => {
      const documents = lines.map((line) => ({
        _id: codeRowId({ system, edition, code: line.code }),
        system,
        edition,
        ...line,
      }));
      try {
        await rows.insertMany(documents, { ordered: false, writeConcern: DURABLE });
      } catch (error) {
        // An interrupted earlier run has written the same rows.
        if (!duplicateKeyOf(error)) throw error;
      }
    },
    publish: async ({ system, ...edition }) => {
      const before = await tables.findOne({ _id: system });
      const kept = [edition.edition, ...(before?.kept ?? []).filter((one) => one !== edition.edition)];
      const row = { ...edition, kept: kept.slice(0, EDITIONS_KEPT) };
      await tables.replaceOne({ _id: system }, row, { upsert: true, writeConcern: DURABLE });
      const from = `${system}/`;
      await rows.deleteMany({ _id: { $gte: from, $lt: `${from}${AFTER_ALL}` }, edition: { $nin: row.kept } });
    },
  };
}

/** One row for each code and edition. */
const CODE_COLLECTION = 'code_table_rows';
/** One row for each system, which names the current edition. */
const CODE_TABLE_COLLECTION = 'code_tables';

/** `_id` is `SYSTEM/EDITION/CODE`: tables belong to the deployment, not to a tenant, and every query is by this key. */
interface CodeRow extends CodeEntry {
  readonly _id: string;
}

/** `_id` is the system. The row names the current edition. */
interface CodeTableRow extends Omit<CodeEdition, 'system'> {
  readonly _id: string;
  /** Editions with stored rows, newest first. */
  readonly kept: readonly string[];
}

/** The current edition is cached this long; another process may import a newer one. */
const EDITION_AGE_MS = 5_000;

/** Sorts after every character of a code. */
const AFTER_ALL = '\uffff';

interface Clocked {
  monotonicMs(): number;
}

/** Reads code tables by key. The current edition is cached, so that a code costs one query. */
export function codeTables(db: Db, clock: Clocked): CodeTables {
  const rows = db.collection<CodeRow>(CODE_COLLECTION);
  const tables = db.collection<CodeTableRow>(CODE_TABLE_COLLECTION);
  let known: { readonly atMs: number; readonly editions: Promise<ReadonlyMap<string, CodeEdition>> } | null = null;
  const load = async (): Promise<ReadonlyMap<string, CodeEdition>> => {
    const found = await tables.find().sort({ _id: 1 }).toArray();
    return new Map(found.map((row) => [row._id, editionOf(row)]));
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
  const currentOf = async (system: string): Promise<string | undefined> => (await editions()).get(system)?.edition;
  return {
    has: async (system) => (await editions()).has(system),
    find: async (system, code) => {
      const edition = await currentOf(system);
      if (edition === undefined) return null;
      const row = await rows.findOne({ _id: codeRowId({ system, edition, code }) });
      return row === null ? null : entryOf(row);
    },
    entries: async (system, codes) => {
      const edition = await currentOf(system);
      if (edition === undefined || codes.length === 0) return new Map();
      const ids = codes.map((code) => codeRowId({ system, edition, code }));
      const found = await rows.find({ _id: { $in: ids } }).toArray();
      return new Map(found.map((row) => [row.code, entryOf(row)]));
    },
    alternatives: async (system, prefix, limit) => {
      const edition = await currentOf(system);
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

const codeRowId = ({ system, edition, code }: Pick<CodeRow, 'system' | 'edition' | 'code'>): string =>
  `${system}/${edition}/${code}`;

const editionOf = ({ _id, kept: _, ...rest }: CodeTableRow): CodeEdition => ({ system: _id, ...rest });

const entryOf = ({ _id: _, ...entry }: CodeRow): CodeEntry => entry;
