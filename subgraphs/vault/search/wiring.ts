import type { Database } from '../../../shared/db/database.js';
import type { QueueSpec } from '../../../shared/jobs/work-queue.js';
import type { Performer } from '../../../shared/outbox/performers.js';
import { TEXT_PROCESSES, textExtractor } from '../content/index.js';
import type { ExpectTextEffect } from '../documents/index.js';
import type { VaultArea } from '../parts.js';
import { type ExtractDeps, extractOne } from './extract-texts.js';
import { mongoTextStore, TEXTS, type TextRow } from './model.js';
import { DocumentSearchResolver } from './resolver.js';
import { DocumentFacetValue, DocumentHighlight, DocumentMatch } from './schema.js';

const OF_A_TENANT = 1;
const LEASE_MS = 60_000;

const textQueue = (deps: ExtractDeps): QueueSpec<TextRow> => ({
  name: 'documents.text',
  description: 'Extracts the text of documents for the search.',
  collection: TEXTS.name,
  groupField: 'tenant_id',
  concurrency: TEXT_PROCESSES,
  limits: { maxInFlight: OF_A_TENANT },
  leaseMs: LEASE_MS,
  handle: async (row) => ({ kind: 'done', change: await extractOne(deps, row) }),
  // A content that repeatedly ends the process is not retried.
  poison: () => ({ set: { status: 'FAILED', reason: 'POISONED' } }),
});

/** The extraction of texts and the search. */
export const searchArea: VaultArea = {
  resolvers: [DocumentSearchResolver],
  contractTypes: [DocumentMatch, DocumentHighlight, DocumentFacetValue],
  collections: [TEXTS],
  wire: async ({ deps, documents, texts }) => {
    const { redaction } = deps.config;
    const extractor = textExtractor(redaction);
    await deps.jobs.queue(textQueue({ ...deps, documents, extractor, maxBytes: redaction.maxTextBytes }));
    return [new DocumentSearchResolver({ texts, documents, consent: deps.consent })];
  },
};

/** Queues the text of a readable document for extraction. */
export const textPerformer =
  ({ db }: Database): Performer<ExpectTextEffect> =>
  ({ source, at }) =>
    mongoTextStore(db)(source.tenant_id).expect({ ...source, created_at: new Date(at) });
