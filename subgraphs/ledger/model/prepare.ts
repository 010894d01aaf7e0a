import type { Database } from '../../../shared/db/database.js';
import { acknowledgementNumberSchema } from './acknowledgement-number-model.js';
import { aiDecisionSchema, aiDerivedSchema } from './ai-decision-model.js';
import { connectorSchema } from './connector-model.js';
import { connectorRunSchema } from './connector-run-model.js';
import { controlNumberSchema } from './control-number-model.js';
import { countSchema } from './count-model.js';
import { eventRedactionSchema } from './event-redaction-model.js';
import { exceptionSchema } from './exception-model.js';
import { feedSchema } from './feed-model.js';
import { ingestPageSchema, ingestSchema } from './ingest-model.js';
import { copiedSchema, ledgerSchema } from './ledger-model.js';
import { linkSchema } from './link-model.js';
import { noticeSchema } from './notice-model.js';
import { reconcileSchema, scrubSchema } from './scrub-model.js';
import { searchHiddenSchema, searchSchema } from './search-model.js';
import { checkpointSchema, incarnationSchema, tileSchema, treeLeaseSchema, treeSchema } from './tree-model.js';

const SCHEMAS = {
  LedgerRow: ledgerSchema,
  LedgerCopied: copiedSchema,
  LedgerCounts: countSchema,
  LedgerScrub: scrubSchema,
  LedgerReconciled: reconcileSchema,
  LedgerException: exceptionSchema,
  EventLinks: linkSchema,
  LedgerNotice: noticeSchema,
  RawIngest: ingestSchema,
  RawIngestPage: ingestPageSchema,
  SourceFeed: feedSchema,
  Connector: connectorSchema,
  ConnectorRun: connectorRunSchema,
  ControlNumbers: controlNumberSchema,
  AcknowledgementNumbers: acknowledgementNumberSchema,
  AiDecision: aiDecisionSchema,
  AiDecisionsDerived: aiDerivedSchema,
  EventSearch: searchSchema,
  EventSearchHidden: searchHiddenSchema,
  EventRedaction: eventRedactionSchema,
  LedgerTree: treeSchema,
  LedgerTile: tileSchema,
  LedgerTreeLease: treeLeaseSchema,
  LedgerCheckpoint: checkpointSchema,
  LedgerIncarnation: incarnationSchema,
} as const;

/** Builds the declared indexes; running it again changes nothing. */
export async function prepareLedgerCollections({ connection }: Database): Promise<void> {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const model = connection.models[name] ?? connection.model(name, schema);
    await model.createIndexes();
  }
}
