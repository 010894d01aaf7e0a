import type { Clock } from '../../../shared/clock/clock.js';
import type { HoldSubject } from '../../../shared/contracts/holds.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { DocumentSubject, EventSubject } from '../domain/hold-subjects.js';
import { policyName, type RetentionRules } from '../domain/retention.js';
import type { DeletionGate, GatePass } from './deletion-gate.js';
import type { StoredDocument } from './ports/document-store.js';
import type { StoredDisposal, TenantDisposalRows } from './ports/retention-store.js';

/** One disposal names at most so many events: its entry is one envelope. */
export const BATCH_EVENTS = 100;
export const BATCH_DOCUMENTS = 100;

/** What a disposal is made of, beside its place and time. */
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

/** Contents that a document still names. */
const contentsOf = ({ sha256, rendition }: StoredDocument): readonly string[] =>
  rendition === null ? [sha256] : [sha256, rendition.sha256];

export interface PassDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly gate: DeletionGate;
  readonly disposals: (tenantId: TenantId) => TenantDisposalRows;
}

/** Disposes of what the gate lets through. @param sweepId whose disposals they are: a sweep's, or an erasure's. */
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
      });
      return disposal_id;
    },
    abandon: (disposalId) => rows.abandon(disposalId),
  });
}
