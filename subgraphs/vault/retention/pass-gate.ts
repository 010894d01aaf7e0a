import type { Clock } from '../../../shared/clock/clock.js';
import type { HoldSubject } from '../../../shared/contracts/holds.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { ListQuery } from '../../../shared/records/records.js';
import type { DocumentStore, StoredDocument } from '../documents/index.js';
import type { DocumentSubject, EventSubject } from '../holds/domain/index.js';
import type { DeletionGate, GatePass } from './deletion-gate.js';
import { policyName, type RetentionRules } from './domain/rules.js';
import type { StoredDisposal, TenantDisposalRows } from './ports.js';

/** Maximum number of events of one disposal; its entry is one envelope. */
export const BATCH_EVENTS = 100;
const BATCH_DOCUMENTS = 100;

export const UNDISPOSED = ['AVAILABLE', 'QUARANTINED', 'REJECTED'] as const;

/** One page of the documents that a disposal may take, oldest first, and the damaged ones that it leaves. */
export const disposablePage = (
  documents: DocumentStore,
  tenantId: TenantId,
  { where, ...query }: Partial<ListQuery<StoredDocument>>,
  cursor: string | null,
) =>
  documents(tenantId).soundPage({
    ...query,
    limit: BATCH_DOCUMENTS,
    order: 'asc',
    cursor: cursor ?? undefined,
    where: { ...where, status: UNDISPOSED },
  });

/**
 * Handles page after page.
 *
 * @param page handles the page after a cursor and returns the next cursor, or null at the end
 * @returns whether it reached the end
 */
export async function everyPage<Cursor>(
  isOver: () => boolean,
  page: (after: Cursor | null) => Promise<Cursor | null>,
): Promise<boolean> {
  let after: Cursor | null = null;
  do {
    if (isOver()) return false;
    after = await page(after);
  } while (after !== null);
  return true;
}

/** Contents of a disposal. */
export type DisposalContents = Pick<StoredDisposal, 'policies' | 'events' | 'documents'>;

export const eventContents = (rules: RetentionRules, gone: readonly EventSubject[]): DisposalContents => ({
  policies: gone.map(({ event }) => policyName(rules, 'event_family', event.event_family)),
  events: gone.map(({ event: { event_id, source_system, sequence, member_id, worm_sha256, raw_sha256 } }) => ({
    event_id,
    source_system,
    sequence,
    member_id,
    worm_sha256,
    raw_sha256,
  })),
  documents: [],
});

export const documentContents = (
  rules: RetentionRules,
  gone: readonly DocumentSubject<StoredDocument>[],
): DisposalContents => ({
  policies: gone.map(({ document }) => policyName(rules, 'document_type', document.document_type)),
  events: [],
  documents: gone.map(({ document }) => ({
    document_id: document.document_id,
    member_ids: document.member_ids,
    sha256s: contentsOf(document),
  })),
});

/** Contents that a document still refers to. */
const contentsOf = ({ sha256, rendition }: StoredDocument): readonly string[] =>
  rendition === null ? [sha256] : [sha256, rendition.sha256];

interface PassDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly gate: DeletionGate;
  readonly disposals: (tenantId: TenantId) => TenantDisposalRows;
}

/**
 * Disposes of the subjects that pass the gate.
 *
 * @param sweepId sweep or erasure that the disposals belong to
 */
export function passGate<S extends HoldSubject>(
  { clock, ids, gate, disposals }: PassDeps,
  tenantId: TenantId,
  sweepId: string,
  subjects: () => Promise<readonly S[]>,
  contentsFor: (gone: readonly S[]) => DisposalContents,
): Promise<GatePass<S>> {
  const rows = disposals(tenantId);
  return gate.pass(tenantId, {
    subjects,
    prepare: async (permitted) => {
      const disposal_id = ids.next('disposal');
      const { policies, ...contents } = contentsFor(permitted);
      await rows.insert({
        disposal_id,
        tenant_id: tenantId,
        sweep_id: sweepId,
        status: 'PREPARED',
        at: new Date(clock.nowMs()),
        policies: [...new Set(policies)].sort(),
        ...contents,
        disposed_at: null,
        gone_at: null,
        contents: null,
        fact: null,
      });
      return disposal_id;
    },
    abandon: (disposalId) => rows.abandon(disposalId),
  });
}
