import {
  type SensitiveView,
  viewOfDisposed,
  viewOfDocument,
  viewOfEvent,
} from '../../../shared/consent/sensitivity.js';
import type { WithheldReason } from '../../../shared/consent/verdict.js';
import { reasonsToWithhold, strongerReason } from '../../../shared/consent/withheld.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type { DocumentFacts } from '../../../shared/contracts/documents.js';
import type { LedgerRecord } from '../../../shared/contracts/ledger-records.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { ReferencedDocuments } from './gather-documents.js';
import type { BundlePurpose } from './ports/bundle-store.js';

// Consent over what a bundle gathers (docs/adr/0044): the rules are those of every other reader, asked while it is built.

export interface ConsentDeps {
  readonly consent: ConsentGate;
}

/** For whom a bundle is judged. */
export interface Judging {
  readonly tenantId: TenantId;
  /** None where no purpose is stated: then nothing is withheld. */
  readonly consent: BundlePurpose | null;
}

/**
 * Events that consent keeps out, by id.
 *
 * @param memberIds of the scope: whose a disposed event may have been. @throws UNAVAILABLE: what cannot be judged is not given out
 */
export function withheldEvents(
  deps: ConsentDeps,
  judging: Judging,
  records: readonly LedgerRecord[],
  memberIds: readonly string[],
): Promise<ReadonlyMap<string, WithheldReason>> {
  const viewOf = ({ record, source_system }: LedgerRecord): SensitiveView =>
    record === null ? viewOfDisposed(memberIds, source_system) : viewOfEvent(JSON.parse(record));
  return withheldOf(deps, judging, records, ({ event_id }) => event_id, viewOf);
}

/** Documents that consent keeps out: by their own view, or because it keeps out every event of the scope that they are attached to. */
export async function withheldDocuments(
  deps: ConsentDeps,
  judging: Judging,
  documents: readonly DocumentFacts[],
  referenced: ReferencedDocuments,
): Promise<ReadonlyMap<string, WithheldReason>> {
  const own = await withheldOf(deps, judging, documents, ({ document_id }) => document_id, viewOfDocument);
  const withheld = documents.flatMap(({ document_id }) => {
    const reason = strongerReason([own.get(document_id) ?? null, referenced.withheldWithEvents(document_id)]);
    return reason === null ? [] : [[document_id, reason] as const];
  });
  return new Map(withheld);
}

async function withheldOf<T>(
  { consent: gate }: ConsentDeps,
  { tenantId, consent }: Judging,
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
