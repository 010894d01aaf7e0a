import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { DisposalCursor } from '../../../shared/contracts/disposal.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import { pageOf } from '../../../shared/pagination/cursor.js';
import { type DocumentSubject, type EventSubject, eventSubject, isAgedDocument } from '../domain/hold-subjects.js';
import { eventCutoffs, latestRecordedMs, type RetentionRules } from '../domain/retention.js';
import type { DeletionGate } from './deletion-gate.js';
import { type DisposeDeps, dropRenditions, settleCopies } from './dispose.js';
import {
  BATCH_DOCUMENTS,
  BATCH_EVENTS,
  type DisposalContents,
  documentContents,
  eventContents,
  passGate,
} from './pass-gate.js';
import type { StoredDocument } from './ports/document-store.js';
import type { RulesStore, StoredSweep, SweepCounts, SweepStore } from './ports/retention-store.js';
import { readRules } from './retention-rules.js';
import { documentSubjects } from './subjects-of.js';

export interface SweepDeps extends DisposeDeps, WorkDeps {
  readonly gate: DeletionGate;
  readonly rules: RulesStore;
  readonly sweeps: SweepStore;
}

/** A request is answered after about so much; the job goes on where it has stopped. */
const REQUEST_BUDGET_MS = 20_000;

interface Tally {
  events: SweepCounts;
  documents: SweepCounts;
}

const NONE: SweepCounts = { past_age: 0, disposed: 0, held: 0 };

const added = (counts: SweepCounts, more: SweepCounts): SweepCounts => ({
  past_age: counts.past_age + more.past_age,
  disposed: counts.disposed + more.disposed,
  held: counts.held + more.held,
});

/** Sweeps on request. @returns what went and what stayed; with `dry_run` what would. */
export async function requestSweep(deps: SweepDeps, context: RequestContext, dryRun: boolean): Promise<StoredSweep> {
  const tenantId = authorise(context, 'retention:write');
  const sweepId = forWork(deps, context, 'retention-sweep').ids.next('sweep');
  const standing = await deps.sweeps.find(tenantId, sweepId);
  if (standing !== null) return standing;
  const untilMs = deps.clock.monotonicMs() + REQUEST_BUDGET_MS;
  const isOver = (): boolean => deps.clock.monotonicMs() > untilMs;
  return sweepTenant(deps, tenantId, { sweepId, dryRun, by: context.principal.keyId, isOver });
}

export interface SweepOrder {
  readonly sweepId: string;
  readonly dryRun: boolean;
  readonly by: string;
  readonly isOver: () => boolean;
}

/** Disposes of what is past its age and under no hold, events first; then segments of which nothing is left go. */
export async function sweepTenant(deps: SweepDeps, tenantId: TenantId, order: SweepOrder): Promise<StoredSweep> {
  const rules = await readRules(deps.rules, tenantId);
  const at = new Date(deps.clock.nowMs());
  const tally: Tally = { events: NONE, documents: NONE };
  const complete =
    (await sweepEvents(deps, tenantId, rules, order, tally)) &&
    (await sweepDocuments(deps, tenantId, rules, order, tally));
  const dropped = order.dryRun
    ? []
    : await deps.ledgerDisposal.dropSegments(tenantId, latestRecordedMs(rules, at.getTime()));
  if (!order.dryRun) {
    await settleCopies(deps, tenantId);
    await dropRenditions(deps, tenantId);
  }
  const sweep: StoredSweep = {
    sweep_id: order.sweepId,
    tenant_id: tenantId,
    at,
    by: order.by,
    dry_run: order.dryRun,
    complete,
    ...tally,
    segments_dropped: dropped,
  };
  return deps.sweeps.save(sweep, sweepEntry(deps, sweep));
}

/** A sweep that found nothing leaves no entry. */
function sweepEntry(deps: SweepDeps, sweep: StoredSweep) {
  if (sweep.dry_run || sweep.events.past_age + sweep.documents.past_age === 0) return [];
  return [
    ledgerEntryEffect(deps.ids, {
      tenant_id: sweep.tenant_id,
      source_system: '_records',
      entry: {
        event_family: 'retention',
        event_type: 'retention.swept',
        event_effective_timestamp: isoTime(sweep.at.getTime()),
        payload: {
          sweep_id: sweep.sweep_id,
          by: sweep.by,
          complete: sweep.complete,
          events: { ...sweep.events },
          documents: { ...sweep.documents },
          segments_dropped: [...sweep.segments_dropped],
        },
      },
    }),
  ];
}

/** @returns whether it came to the end. */
async function sweepEvents(
  deps: SweepDeps,
  tenantId: TenantId,
  rules: RetentionRules,
  order: SweepOrder,
  tally: Tally,
): Promise<boolean> {
  const cutoffs = eventCutoffs(rules, deps.clock.nowMs());
  for (let after: DisposalCursor | null = null; ; ) {
    if (order.isOver()) return false;
    let next: DisposalCursor | null = null;
    const from: DisposalCursor | null = after;
    const subjects = async () => {
      const plan = await deps.ledgerDisposal.plan(tenantId, cutoffs, from, BATCH_EVENTS);
      next = plan.next;
      return plan.candidates.map(eventSubject);
    };
    const went = await passOrLook(deps, tenantId, order, subjects, (gone) => eventContents(rules, gone));
    tally.events = added(tally.events, went);
    if (next === null) return true;
    after = next;
  }
}

async function sweepDocuments(
  deps: SweepDeps,
  tenantId: TenantId,
  rules: RetentionRules,
  order: SweepOrder,
  tally: Tally,
): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  const toMs = latestRecordedMs(rules, nowMs);
  for (let cursor: string | undefined; ; ) {
    if (order.isOver()) return false;
    const statuses = ['AVAILABLE', 'QUARANTINED', 'REJECTED'] as const;
    const query = { limit: BATCH_DOCUMENTS, order: 'asc' as const, cursor, toMs, statuses };
    let next: string | null = null;
    const subjects = async (): Promise<readonly DocumentSubject<StoredDocument>[]> => {
      const rows = await deps.documents(tenantId).list(query);
      const page = pageOf(rows, BATCH_DOCUMENTS, ({ created_at, document_id }) => ({
        atMs: created_at.getTime(),
        id: document_id,
      }));
      next = page.next_cursor;
      return documentSubjects(
        deps,
        tenantId,
        page.items.filter((document) => isAgedDocument(rules, document, nowMs)),
      );
    };
    const went = await passOrLook(deps, tenantId, order, subjects, (gone) => documentContents(rules, gone));
    tally.documents = added(tally.documents, went);
    if (next === null) return true;
    cursor = next;
  }
}

/** Through the gate, or, where nothing shall go, a look at what it would say. */
async function passOrLook<S extends EventSubject | DocumentSubject<StoredDocument>>(
  deps: SweepDeps,
  tenantId: TenantId,
  { dryRun, sweepId }: SweepOrder,
  subjects: () => Promise<readonly S[]>,
  contentsFor: (gone: readonly S[]) => DisposalContents,
): Promise<SweepCounts> {
  if (dryRun) {
    const found = await subjects();
    const held = await deps.gate.keeps(tenantId, found);
    return { past_age: found.length, disposed: found.length - held.size, held: held.size };
  }
  const pass = await passGate(deps, tenantId, sweepId, subjects, contentsFor);
  return { past_age: pass.subjects.length, disposed: pass.gone.length, held: pass.refused.length };
}
