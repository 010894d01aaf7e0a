import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import type { LedgerDisposal } from '../../../shared/contracts/disposal.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { type HoldScope, holdsNoLess, isOverNothing, withoutEmpty } from '../domain/hold-scope.js';
import { HOLD_MACHINE } from '../domain/hold-states.js';
import { actingIn } from './change-document.js';
import type { DeletionGate } from './deletion-gate.js';
import { holdWrite } from './hold-write.js';
import type { DocumentStore } from './ports/document-store.js';
import type { HoldStore, HoldWrite, ReleaseAuthority, StoredHold } from './ports/hold-store.js';

export interface HoldDeps extends WorkDeps {
  readonly holds: HoldStore;
  readonly gate: DeletionGate;
  readonly documents: DocumentStore;
  readonly ledgerDisposal: LedgerDisposal;
  readonly clock: Clock;
}

export interface HoldInput {
  readonly name: string;
  readonly matter_id?: string | null;
  readonly scope: HoldScope;
  readonly reason: string;
  readonly authority?: string | null;
}

export interface HoldPatch {
  readonly name?: string;
  readonly matter_id?: string | null;
  readonly scope?: HoldScope;
  readonly reason?: string;
  readonly authority?: string | null;
  readonly revision?: number;
}

const MAX_ATTEMPTS = 5;

/**
 * Places a hold: in force when it is answered, over what is there and what comes later. A deletion that was let through before
 * has ended by then. Entry `legal-hold.created`, custody HOLD. @throws VALIDATION_ERROR
 */
export async function placeHold(deps: HoldDeps, context: RequestContext, input: HoldInput): Promise<StoredHold> {
  const tenantId = authorise(context, 'holds:write');
  const { ids } = forWork(deps, context, 'place-hold');
  const scope = withoutEmpty(input.scope);
  const matter_id = input.matter_id ?? null;
  refuseBadScope(scope, matter_id);
  const at = new Date(deps.clock.nowMs());
  const hold: HoldWrite['hold'] = {
    hold_id: ids.next('hold'),
    tenant_id: tenantId,
    name: input.name,
    matter_id,
    scope,
    reason: input.reason,
    authority: input.authority ?? null,
    status: 'ACTIVE',
    release: null,
    settled: false,
    revision: 1,
    created_at: at,
    created_by: context.principal.keyId,
    updated_at: at,
  };
  const write = holdWrite(ids, null, hold, 'create', actingIn(context));
  const holds = deps.holds.forTenant(tenantId);
  // The identifier is taken only when this very request has run before: what it made is the answer.
  const stored = (await holds.insert(write)) ?? (await holds.get(hold.hold_id));
  if (stored === null) throw new Error('a fresh hold collided with one of another tenant');
  return settled(deps, tenantId, stored, write);
}

/** Changes words of a hold, or widens it. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT, VALIDATION_ERROR where it would hold less */
export function updateHold(
  deps: HoldDeps,
  context: RequestContext,
  holdId: string,
  { revision, scope, ...patch }: HoldPatch,
): Promise<StoredHold> {
  return change(deps, context, holdId, 'update', (standing) => {
    if (revision !== undefined && standing.revision !== revision) {
      throw problem('CONFLICT', { message: 'The hold is at another revision than the one named.' });
    }
    const next = { ...patch, ...(scope === undefined ? {} : { scope: withoutEmpty(scope) }) };
    const after = { scope: next.scope ?? standing.scope, matter_id: mattered(standing.matter_id, patch.matter_id) };
    refuseBadScope(after.scope, after.matter_id);
    if (!holdsNoLess(standing, after)) {
      const told = 'A hold may be widened; holding less is a release, which needs an authority.';
      throw problem('VALIDATION_ERROR', { errors: [fault('/scope', 'narrower', told)] });
    }
    return { ...next, settled: false };
  });
}

const mattered = (standing: string | null, patch: string | null | undefined): string | null =>
  patch === undefined ? standing : patch;

export interface ReleaseInput {
  readonly authority: ReleaseAuthority;
  readonly reason: string;
  readonly released_by: string;
}

/** Releases a hold under a documented authority; final. Other holds over the same things stay. @throws NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR */
export function releaseHold(
  deps: HoldDeps,
  context: RequestContext,
  holdId: string,
  { authority, reason, released_by }: ReleaseInput,
): Promise<StoredHold> {
  return change(deps, context, holdId, 'release', async (standing, at) => {
    const { document_id } = authority;
    if (document_id !== undefined && !(await isDocument(deps, standing.tenant_id, document_id))) {
      throw problem('VALIDATION_ERROR', {
        errors: [fault('/authority/document_id', 'unknown', 'No such document.')],
      });
    }
    return { release: { authority, reason, released_by, released_at: at } };
  });
}

const isDocument = async ({ documents }: HoldDeps, tenantId: TenantId, documentId: string): Promise<boolean> =>
  isIdOf('document', documentId) && (await documents(tenantId).get(documentId)) !== null;

type Changes = (standing: StoredHold, at: Date) => Partial<HoldWrite['hold']> | Promise<Partial<HoldWrite['hold']>>;

/** One step of the state table: read, ask the table, write on the revision that was read. */
async function change(
  deps: HoldDeps,
  context: RequestContext,
  holdId: string,
  action: 'update' | 'release',
  changes: Changes,
): Promise<StoredHold> {
  const tenantId = authorise(context, 'holds:write');
  const holds = deps.holds.forTenant(tenantId);
  const { ids } = forWork(deps, context, `${action}-hold`);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = isIdOf('hold', holdId) ? await holds.get(holdId) : null;
    if (standing === null) throw problem('NOT_FOUND');
    const done = context.workId !== null && standing.history.some((step) => isStepOf(step, context.workId, action));
    if (done) return settled(deps, tenantId, standing);
    const step = transition(HOLD_MACHINE, standing.status, action);
    const { history: _, listing: __, ...before } = standing;
    const at = new Date(deps.clock.nowMs());
    const changed = await changes(standing, at);
    const hold = { ...before, ...changed, status: step.to, revision: standing.revision + 1, updated_at: at };
    const write = holdWrite(ids, standing, hold, action, actingIn(context));
    const stored = await holds.replace(write, standing.revision);
    if (stored !== null) return settled(deps, tenantId, stored, write);
  }
  throw problem('CONFLICT', { message: 'The hold is being changed by others; read it and try again.' });
}

const isStepOf = (step: StoredHold['history'][number], workId: string | null, action: string): boolean =>
  step.work_id === workId && step.action === action;

/**
 * What a hold needs before it is shown: no deletion can overlook it any more, and what it names is listed. A hold that a crash
 * has kept from it is settled by whoever reads it next, and by the job.
 */
export async function settled(
  deps: Pick<HoldDeps, 'holds' | 'gate' | 'documents' | 'ledgerDisposal' | 'clock'>,
  tenantId: TenantId,
  hold: StoredHold,
  write?: HoldWrite,
): Promise<StoredHold> {
  const holds = deps.holds.forTenant(tenantId);
  if (hold.settled || hold.status !== 'ACTIVE') {
    if (write) await holds.relay(write);
    return hold;
  }
  await deps.gate.close(tenantId);
  await buryNamed(deps, tenantId, hold);
  await holds.markSettled(hold.hold_id, hold.revision);
  if (write) await holds.relay(write);
  return { ...hold, settled: true };
}

/** What the scope names is listed at once; what it filters is found by following. */
async function buryNamed(
  deps: Pick<HoldDeps, 'holds' | 'documents' | 'ledgerDisposal' | 'clock'>,
  tenantId: TenantId,
  { hold_id, scope }: StoredHold,
): Promise<void> {
  const { event_ids = [], document_ids = [] } = scope;
  const events = event_ids.length === 0 ? [] : await deps.ledgerDisposal.facts(tenantId, event_ids);
  const documents =
    document_ids.length === 0
      ? []
      : await deps.documents(tenantId).list({ document_ids, limit: document_ids.length, order: 'asc' });
  const subjects = [
    ...events.map(({ event_id }) => ({ kind: 'EVENT' as const, id: event_id })),
    ...documents
      .filter(({ status }) => status !== 'DISPOSED')
      .map(({ document_id }) => ({ kind: 'DOCUMENT' as const, id: document_id })),
  ];
  await deps.holds.forTenant(tenantId).bury(hold_id, subjects, new Date(deps.clock.nowMs()));
}

function refuseBadScope(scope: HoldScope, matterId: string | null): void {
  const faults: FieldFault[] = [];
  if (isOverNothing({ scope, matter_id: matterId })) {
    faults.push(fault('/scope', 'empty', 'A hold must be over something.'));
  }
  if (scope.from !== undefined && scope.to !== undefined && Date.parse(scope.from) >= Date.parse(scope.to)) {
    faults.push(fault('/scope/to', 'range', 'Must be after "from".'));
  }
  if (faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
}
