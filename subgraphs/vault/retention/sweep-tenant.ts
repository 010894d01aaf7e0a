import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { DisposalCursor } from '../../../shared/contracts/disposal.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import type { StoredDocument } from '../documents/index.js';
import { type DocumentSubject, type EventSubject, eventSubject } from '../holds/domain/index.js';
import { documentSubjects } from '../holds/index.js';
import { readRules } from './change-rules.js';
import type { DeletionGate } from './deletion-gate.js';
import { type DisposeDeps, dropRenditions, settleCopies } from './dispose.js';
import { eventCutoffs, isAgedDocument, latestRecordedMs, type RetentionRules } from './domain/rules.js';
import {
  BATCH_EVENTS,
  type DisposalContents,
  disposablePage,
  documentContents,
  eventContents,
  everyPage,
  passGate,
} from './pass-gate.js';
import type { RulesStore, StoredSweep, SweepCounts, SweepStore } from './ports.js';

export interface SweepDeps extends DisposeDeps, WorkDeps {
  readonly gate: DeletionGate;
  readonly rules: RulesStore;
  readonly sweeps: SweepStore;
}

/** Time budget of a request; the job continues the rest. */
const REQUEST_BUDGET_MS = 20_000;

interface Sweep {
  readonly deps: SweepDeps;
  readonly tenantId: TenantId;
  readonly rules: RetentionRules;
  readonly order: SweepOrder;
  readonly tally: { events: SweepCounts; documents: SweepCounts };
}

const NONE: SweepCounts = { past_age: 0, disposed: 0, held: 0, damaged: 0 };

const added = (counts: SweepCounts, more: SweepCounts): SweepCounts => ({
  past_age: counts.past_age + more.past_age,
  disposed: counts.disposed + more.disposed,
  held: counts.held + more.held,
  damaged: counts.damaged + more.damaged,
});

/**
 * Sweeps on request.
 *
 * @returns the disposed and the remaining items; with `dry_run`, the forecast
 */
export async function requestSweep(deps: SweepDeps, context: RequestContext, dryRun: boolean): Promise<StoredSweep> {
  const tenantId = authorise(context, 'retention:write');
  const sweepId = forWork(deps, context, 'retention-sweep').ids.next('sweep');
  const earlier = await deps.sweeps.find(tenantId, sweepId);
  if (earlier !== null) return earlier;
  const untilMs = deps.clock.monotonicMs() + REQUEST_BUDGET_MS;
  const isOver = (): boolean => deps.clock.monotonicMs() > untilMs;
  return sweepTenant(deps, tenantId, { sweepId, dryRun, by: context.principal.keyId, isOver });
}

interface SweepOrder {
  readonly sweepId: string;
  readonly dryRun: boolean;
  readonly by: string;
  readonly isOver: () => boolean;
}

/** Disposes of expired records without holds, events first; then deletes empty segments. */
export async function sweepTenant(deps: SweepDeps, tenantId: TenantId, order: SweepOrder): Promise<StoredSweep> {
  const rules = await readRules(deps.rules, tenantId);
  const at = new Date(deps.clock.nowMs());
  const tally: Sweep['tally'] = { events: NONE, documents: NONE };
  const sweeping = { deps, tenantId, rules, order, tally };
  const complete = (await sweepEvents(sweeping)) && (await sweepDocuments(sweeping));
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

/** A sweep without candidates and without damage leaves no entry. */
function sweepEntry(deps: SweepDeps, sweep: StoredSweep) {
  const { events, documents } = sweep;
  if (sweep.dry_run || events.past_age + documents.past_age + events.damaged + documents.damaged === 0) return [];
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

/** @returns whether it reached the end */
function sweepEvents({ deps, tenantId, rules, order, tally }: Sweep): Promise<boolean> {
  const cutoffs = eventCutoffs(rules, deps.clock.nowMs());
  return everyPage<DisposalCursor>(order.isOver, async (after) => {
    let next: DisposalCursor | null = null;
    let damaged = 0;
    const subjects = async () => {
      const plan = await deps.ledgerDisposal.plan(tenantId, cutoffs, after, BATCH_EVENTS);
      next = plan.next;
      damaged = plan.damaged.length;
      return plan.candidates.map(eventSubject);
    };
    const counts = await passOrForecast(deps, tenantId, order, subjects, (gone) => eventContents(rules, gone));
    tally.events = added(tally.events, { ...counts, damaged });
    return next;
  });
}

function sweepDocuments({ deps, tenantId, rules, order, tally }: Sweep): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  const toMs = latestRecordedMs(rules, nowMs);
  return everyPage<string>(order.isOver, async (after) => {
    let next: string | null = null;
    let damaged = 0;
    const subjects = async () => {
      const page = await disposablePage(deps.documents, tenantId, { toMs }, after);
      next = page.next_cursor;
      const aged = page.items.filter((document) => isAgedDocument(rules, document, nowMs));
      const found = await documentSubjects(deps, tenantId, aged);
      const sure = found.filter(({ uncertain }) => !uncertain);
      damaged = page.damaged.length + found.length - sure.length;
      return sure;
    };
    const counts = await passOrForecast(deps, tenantId, order, subjects, (gone) => documentContents(rules, gone));
    tally.documents = added(tally.documents, { ...counts, damaged });
    return next;
  });
}

/** Passes the gate, or with dry_run only asks it. */
async function passOrForecast<S extends EventSubject | DocumentSubject<StoredDocument>>(
  deps: SweepDeps,
  tenantId: TenantId,
  { dryRun, sweepId }: SweepOrder,
  subjects: () => Promise<readonly S[]>,
  contentsFor: (gone: readonly S[]) => DisposalContents,
): Promise<Omit<SweepCounts, 'damaged'>> {
  if (dryRun) {
    const found = await subjects();
    const held = await deps.gate.keeps(tenantId, found);
    return { past_age: found.length, disposed: found.length - held.size, held: held.size };
  }
  const pass = await passGate(deps, tenantId, sweepId, subjects, contentsFor);
  return { past_age: pass.subjects.length, disposed: pass.gone.length, held: pass.refused.length };
}
