import type { Db } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { CodeImport } from '../service/ports/code-import.js';
import { CODE_COLLECTION, CODE_TABLE_COLLECTION } from './code-model.js';
import { AFTER_ALL, type CodeRow, type CodeTableRow, codeRowId } from './code-repository.js';

/** Editions that stay: the one that is read, and the one that readers elsewhere may still know for some seconds. */
const EDITIONS_KEPT = 2;

export function codeImport(db: Db): CodeImport {
  const rows = db.collection<CodeRow>(CODE_COLLECTION);
  const tables = db.collection<CodeTableRow>(CODE_TABLE_COLLECTION);
  return {
    current: async (system) => {
      const found = await tables.findOne({ _id: system });
      if (found === null) return null;
      const { _id, kept: _, ...rest } = found;
      return { system, ...rest };
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
        // An earlier run was cut short: what it has written is the same.
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
