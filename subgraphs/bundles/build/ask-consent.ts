import { type SensitiveView, viewOfDocument, viewOfRecord } from '../../../shared/consent/sensitivity.js';
import type { WithheldReason } from '../../../shared/consent/verdict.js';
import { reasonsToWithhold, strongerReason } from '../../../shared/consent/withheld.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type { DocumentFacts } from '../../../shared/contracts/documents.js';
import type { LedgerRecord } from '../../../shared/contracts/ledger-records.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { BundlePurpose } from '../bundles/index.js';
import type { ReferencedDocuments } from './gather-documents.js';

// Consent for the content of a bundle (docs/adr/0044): the rules of every other reader, applied when the bundle is
// built.

interface ConsentDeps {
  readonly consent: ConsentGate;
}

/** The readers and the purpose that consent is checked for. */
export interface ConsentCheck {
  readonly tenantId: TenantId;
  /** Null if no purpose is stated: nothing is withheld. */
  readonly consent: BundlePurpose | null;
}

/**
 * Returns the events that consent withholds, by id.
 *
 * @param memberIds members of the scope, to whom a disposed event may have belonged
 * @throws UNAVAILABLE if consent cannot be checked
 */
export function withheldEvents(
  deps: ConsentDeps,
  check: ConsentCheck,
  records: readonly LedgerRecord[],
  memberIds: readonly string[],
): Promise<ReadonlyMap<string, WithheldReason>> {
  const viewOf = (record: LedgerRecord): SensitiveView => viewOfRecord(record, memberIds);
  return withheldOf(deps, check, records, ({ event_id }) => event_id, viewOf);
}

/**
 * Returns the documents that consent withholds: by their own view, or because it withholds every event of the scope to
 * which they are attached.
 */
export async function withheldDocuments(
  deps: ConsentDeps,
  check: ConsentCheck,
  documents: readonly DocumentFacts[],
  referenced: ReferencedDocuments,
): Promise<ReadonlyMap<string, WithheldReason>> {
  const own = await withheldOf(deps, check, documents, ({ document_id }) => document_id, viewOfDocument);
  const withheld = documents.flatMap(({ document_id }) => {
    const reason = strongerReason([own.get(document_id) ?? null, referenced.withheldWithEvents(document_id)]);
    return reason === null ? [] : [[document_id, reason] as const];
  });
  return new Map(withheld);
}

async function withheldOf<T>(
  { consent: gate }: ConsentDeps,
  { tenantId, consent }: ConsentCheck,
  records: readonly T[],
  idOf: (record: T) => string,
  viewOf: (record: T) => SensitiveView,
): Promise<ReadonlyMap<string, WithheldReason>> {
  const withheld = new Map<string, WithheldReason>();
  if (!consent) return withheld;
  const views = records.map(viewOf);
  for (const actor of consent.actors) {
    const reasons = await reasonsToWithhold(gate, tenantId, { purpose: consent.purpose, actor }, views);
    for (const [i, record] of records.entries()) {
      const reason = strongerReason([withheld.get(idOf(record)) ?? null, reasons[i] ?? null]);
      if (reason !== null) withheld.set(idOf(record), reason);
    }
  }
  return withheld;
}
