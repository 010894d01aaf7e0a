import type { Database } from '../../../shared/db/database.js';
import { documentSchema } from './document-model.js';
import { gateSchema, holdSchema, tombstoneSchema } from './hold-model.js';
import { redactionSchema } from './redaction-model.js';
import { disposalSchema, rulesSchema, sweepSchema } from './retention-model.js';
import { textSchema } from './text-model.js';

const SCHEMAS = {
  LegalHold: holdSchema,
  HoldTombstone: tombstoneSchema,
  DeletionGate: gateSchema,
  RetentionPolicies: rulesSchema,
  Disposal: disposalSchema,
  RetentionSweep: sweepSchema,
  Document: documentSchema,
  Redaction: redactionSchema,
  DocumentText: textSchema,
} as const;

/** Builds the declared indexes; running it again changes nothing. */
export async function prepareVaultCollections({ connection }: Database): Promise<void> {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const model = connection.models[name] ?? connection.model(name, schema);
    await model.createIndexes();
  }
}
