import type { Database } from '../../../shared/db/database.js';
import type { QueueSpec } from '../../../shared/jobs/work-queue.js';
import type { Performer } from '../../../shared/outbox/performers.js';
import { DocumentProcesses } from '../adapters/documents/document-processes.js';
import { processExtractor } from '../adapters/documents/process-extractor.js';
import { mongoTextStore, TEXT_COLLECTION, type TextRow } from '../model/text-model.js';
import { DocumentSearchResolver } from '../resolvers/document-search-resolver.js';
import { type ExtractDeps, extractOne } from '../service/extract-texts.js';
import type { ExpectTextEffect } from '../service/ports/vault-effects.js';
import type { WireArea } from './parts.js';

/** Processes at once, and of one tenant: reading is all processor time. */
const PROCESSES = 2;
const OF_A_TENANT = 1;
const MAX_PAGES = 5_000;
const MAX_CHARACTERS = 2_000_000;
const LEASE_MS = 60_000;

const textQueue = (deps: ExtractDeps): QueueSpec<TextRow> => ({
  name: 'documents.text',
  description: 'Reads the words of documents for the search.',
  collection: TEXT_COLLECTION,
  groupField: 'tenant_id',
  concurrency: PROCESSES,
  limits: { maxInFlight: OF_A_TENANT },
  leaseMs: LEASE_MS,
  handle: async (row) => ({ kind: 'done', change: await extractOne(deps, row) }),
  // What ended the process more than once is left alone.
  poison: () => ({ set: { status: 'FAILED', reason: 'POISONED' } }),
});

/** Words of documents, and the search over them. */
export const wireTexts: WireArea = async ({ deps, documents }) => {
  const { timeoutMs, memoryMb, maxTextBytes } = deps.config.redaction;
  const processes = new DocumentProcesses({ timeoutMs, memoryMb, concurrency: PROCESSES });
  const extractor = processExtractor(processes, { maxPages: MAX_PAGES, maxCharacters: MAX_CHARACTERS });
  await deps.jobs.queue(textQueue({ ...deps, documents, extractor, maxBytes: maxTextBytes }));
  const texts = mongoTextStore(deps.database.db);
  return {
    resolvers: [[DocumentSearchResolver, new DocumentSearchResolver({ texts, documents, consent: deps.consent })]],
  };
};

/** What a document that may be read leaves behind: work for the job above. */
export const textPerformer =
  ({ db }: Database): Performer<ExpectTextEffect> =>
  ({ source, at }) =>
    mongoTextStore(db)(source.tenant_id).expect({ ...source, created_at: new Date(at) });
