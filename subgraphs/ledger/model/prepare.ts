import type { Database } from '../../../shared/db/database.js';
import { countSchema } from './count-model.js';
import { exceptionSchema } from './exception-model.js';
import { ingestPageSchema, ingestSchema } from './ingest-model.js';
import { copiedSchema, ledgerSchema } from './ledger-model.js';

const SCHEMAS = {
  LedgerRow: ledgerSchema,
  LedgerCopied: copiedSchema,
  LedgerCounts: countSchema,
  LedgerException: exceptionSchema,
  RawIngest: ingestSchema,
  RawIngestPage: ingestPageSchema,
} as const;

/** Builds the declared indexes; running it again changes nothing. */
export async function prepareLedgerCollections({ connection }: Database): Promise<void> {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const model = connection.models[name] ?? connection.model(name, schema);
    await model.createIndexes();
  }
}
