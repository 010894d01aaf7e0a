import type { Facts } from '../../../shared/facts/facts.js';
import type { IngestDeps, TenantContexts } from '../append/index.js';
import type { StateFacts } from '../integrity/index.js';
import type { ProvenEntries } from '../transparency/index.js';
import { appendFacts } from './append-facts.js';
import { examineFacts } from './examine-facts.js';
import type { FactRowsByTenant } from './ports.js';
import {
  changedSubjects,
  factChanges,
  factKeys,
  factRefs,
  factSubjects,
  readFacts,
  subjectsNaming,
} from './read-facts.js';

interface LocalFactsDeps {
  readonly ingest: IngestDeps;
  readonly contexts: TenantContexts;
  readonly factRows: FactRowsByTenant;
  readonly provenEntries: Pick<ProvenEntries, 'unproven'>;
}

/** The facts of one tenant for verification, which reports damage and continues. */
export const stateFacts =
  (factRows: FactRowsByTenant) =>
  (tenantId: string): StateFacts => ({
    examine: (questions, keys) => examineFacts(factRows(tenantId), questions, keys),
    keys: (kind, after, limit) => factKeys(factRows(tenantId), kind, after, limit),
    subjects: (kind, after, limit) => factSubjects(factRows(tenantId), kind, { after, limit }),
  });

/** The facts for areas of the ledger itself, without a call between subgraphs. */
export const localFacts = ({ ingest, contexts, factRows, provenEntries }: LocalFactsDeps): Facts => ({
  append: async (tenantId, drafts) => appendFacts(ingest, await contexts.of(tenantId), drafts),
  read: (tenantId, questions) => readFacts({ tenantId, rows: factRows(tenantId), provenEntries }, questions),
  subjects: (tenantId, kind, after, before) => factSubjects(factRows(tenantId), kind, { after, before }),
  refs: (tenantId, kind, after, before) => factRefs(factRows(tenantId), kind, { after, before }),
  naming: (tenantId, kind, refs) => subjectsNaming(factRows(tenantId), kind, refs),
  changedSince: (tenantId, kinds, sinceMs) => changedSubjects(factRows(tenantId), kinds, sinceMs),
  changesAfter: (tenantId, kind, seq) => factChanges(factRows(tenantId), kind, seq),
});
