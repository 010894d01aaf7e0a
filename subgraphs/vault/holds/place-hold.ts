import { authorise, type RequestContext, requireTenant } from '../../../shared/auth/context.js';
import { requireFreshSignIn } from '../../../shared/auth/step-up.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { LedgerDisposal } from '../../../shared/contracts/disposal.js';
import { custodyActorOf, custodyEffect } from '../../../shared/custody/custody-entry.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import { type RecordKind, type StepDeps, type StepTaken, stepsOf } from '../../../shared/records/steps.js';
import type { VaultEffect } from '../documents/index.js';
import type { DeletionGate } from '../retention/index.js';
import { coversNoLess, type HoldScope, isEmptyScope, withoutEmpty } from './domain/scope.js';
import { HOLD_MACHINE } from './domain/states.js';
import { type KnownRecordsDeps, requireKnownRecords } from './known-records.js';
import { type HoldStore, NOTHING_LISTED, type StoredHold } from './ports.js';
import type { LegalHoldMembers, LegalHoldReleaseInput } from './schema.js';

export interface HoldDeps extends StepDeps, KnownRecordsDeps {
  readonly holds: HoldStore;
  readonly gate: DeletionGate;
  readonly ledgerDisposal: LedgerDisposal;
}

export type SettleDeps = Pick<HoldDeps, 'holds' | 'gate' | 'documents' | 'ledgerDisposal' | 'clock'>;

/** The payload leaves out name and reason: free texts may name people. */
const HOLD: RecordKind<StoredHold, 'hold_id', VaultEffect> = {
  machine: HOLD_MACHINE,
  idKind: 'hold',
  id: 'hold_id',
  noun: 'hold',
  family: 'legal-hold',
  facts: true,
  reason: ({ reason, release }, action) => (action === 'release' ? release?.reason : reason),
  payload: ({ hold_id, matter_id, release }, step) => ({
    hold_id,
    ...step,
    ...(matter_id === null ? {} : { matter_id }),
    ...(release === null ? {} : { authority_kind: release.authority.kind }),
  }),
};

/** The steps of holds as a request takes them; a step is complete before its entry, custody and platform events. */
function holdSteps(deps: HoldDeps, context: RequestContext) {
  const steps = stepsOf(HOLD, deps, context, deps.holds.forTenant(authorise(context, 'holds:write')));
  const options = {
    settle: (hold: StoredHold) => settled(deps, hold),
    pending: (entries: readonly VaultEffect[], taken: StepTaken<StoredHold>) => [
      ...entries,
      custody(context, taken),
      ...platformEvents(taken),
    ],
  };
  return { steps, options };
}

/**
 * Places a hold.
 * When it returns, the hold covers present and future records, and earlier deletions have ended. Leaves the entry
 * `legal-hold.created` and custody HOLD.
 *
 * @throws VALIDATION_ERROR
 */
export async function placeHold(
  deps: HoldDeps,
  context: RequestContext,
  members: LegalHoldMembers,
  allowUnknown = false,
): Promise<StoredHold> {
  const { steps, options } = holdSteps(deps, context);
  const given = allowing(members.scope, allowUnknown);
  const scope = withoutEmpty(given);
  checkScope(scope, members.matter_id);
  await requireKnownRecords(deps, requireTenant(context), { scope: given, matter_id: members.matter_id });
  const made = { ...members, scope, release: null, settled: false, listing: NOTHING_LISTED };
  return settled(deps, await steps.create(() => made, options));
}

interface HoldPatch {
  readonly members: Partial<LegalHoldMembers>;
  readonly revision?: number | undefined;
  readonly allowUnknown?: boolean;
}

const allowing = (scope: HoldScope, allowUnknown: boolean): HoldScope =>
  allowUnknown ? { ...scope, allow_unknown: true } : scope;

/**
 * Changes the texts of a hold, or widens it.
 *
 * @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT, VALIDATION_ERROR if it would cover less
 */
export async function updateHold(
  deps: HoldDeps,
  context: RequestContext,
  holdId: string,
  { members: { scope: wider, ...texts }, revision, allowUnknown = false }: HoldPatch,
): Promise<StoredHold> {
  const { steps, options } = holdSteps(deps, context);
  const change = async (before: StoredHold) => {
    const isAllowed = allowUnknown || before.scope.allow_unknown === true;
    const given = allowing(wider ?? before.scope, isAllowed);
    const scope = withoutEmpty(given);
    const { matter_id = before.matter_id } = texts;
    checkScope(scope, matter_id);
    if (!coversNoLess(before, { scope, matter_id })) {
      const message = 'Must cover at least the current scope; covering less is a release, which needs an authority.';
      throw problem('VALIDATION_ERROR', { errors: [fault('/scope', 'narrower', message)] });
    }
    await requireKnownRecords(deps, before.tenant_id, { scope: given, matter_id }, before);
    return { ...texts, scope, settled: false, listing: NOTHING_LISTED };
  };
  return settled(deps, await steps.take(holdId, 'update', { revision, change, ...options }));
}

/**
 * Releases a hold for good under a documented authority. Other holds over the same records stay.
 *
 * @throws NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR, STEP_UP_REQUIRED
 */
export async function releaseHold(
  deps: HoldDeps,
  context: RequestContext,
  holdId: string,
  { authority, reason, released_by }: LegalHoldReleaseInput,
): Promise<StoredHold> {
  requireFreshSignIn(context, deps.clock);
  const { steps, options } = holdSteps(deps, context);
  const change = async ({ tenant_id }: StoredHold, released_at: Date) => {
    const { document_id } = authority;
    const isKnown = async (id: string) => isIdOf('document', id) && (await deps.documents(tenant_id).get(id)) !== null;
    if (document_id !== undefined && !(await isKnown(document_id))) {
      const unknown = fault('/authority/document_id', 'unknown', 'No document has this identifier.');
      throw problem('VALIDATION_ERROR', { errors: [unknown] });
    }
    return { release: { authority, reason, released_by, released_at } };
  };
  return steps.take(holdId, 'release', { change, ...options });
}

const CUSTODY = { create: 'HOLD', update: 'HOLD', release: 'UNHOLD' } as const;
const PLATFORM_EVENTS = { create: 'legal-hold.created', release: 'legal-hold.released' } as const;

type Taken = StepTaken<StoredHold>;

function custody(context: RequestContext, { after, action, at, ids }: Taken): VaultEffect {
  const { hold_id, tenant_id, scope, release, revision } = after;
  return custodyEffect(ids, tenant_id, {
    action: CUSTODY[action],
    subject: { kind: 'HOLD', id: hold_id },
    subjects: [
      ...(scope.event_ids ?? []).map((id) => ({ kind: 'EVENT' as const, id })),
      ...(scope.document_ids ?? []).map((id) => ({ kind: 'DOCUMENT' as const, id })),
    ],
    member_ids: scope.member_ids ?? [],
    actor: custodyActorOf(context),
    at: isoTime(at.getTime()),
    request_id: context.requestId,
    detail: {
      revision,
      ...(release === null
        ? {}
        : { authority_kind: release.authority.kind, authority_reference: release.authority.reference }),
    },
  });
}

function platformEvents({ after: { hold_id, tenant_id }, action, at: time, ids }: Taken): readonly VaultEffect[] {
  if (action === 'update') return [];
  const at = isoTime(time.getTime());
  return [platformEventEffect(ids, { tenant_id, type: PLATFORM_EVENTS[action], at, data: { hold_id, at } })];
}

/**
 * Completes a hold before it is shown: every deletion sees it, and the records that it names are listed.
 * After a crash, the next reader or the job completes it.
 */
export async function settled(deps: SettleDeps, hold: StoredHold): Promise<StoredHold> {
  if (hold.settled || hold.status !== 'ACTIVE') return hold;
  await deps.gate.close(hold.tenant_id);
  await listNamed(deps, hold);
  await deps.holds.forTenant(hold.tenant_id).markSettled(hold.hold_id, hold.revision);
  return { ...hold, settled: true };
}

/** Lists the records that the scope names; following finds those that it filters. */
async function listNamed(deps: SettleDeps, { tenant_id, hold_id, scope }: StoredHold): Promise<void> {
  const { event_ids = [], document_ids = [] } = scope;
  const events = event_ids.length === 0 ? [] : (await deps.ledgerDisposal.facts(tenant_id, event_ids)).candidates;
  const documents = await deps.documents(tenant_id).among(document_ids);
  const subjects = [
    ...events.map(({ event_id }) => ({ kind: 'EVENT' as const, id: event_id })),
    ...documents
      .filter(({ status }) => status !== 'DISPOSED')
      .map(({ document_id }) => ({ kind: 'DOCUMENT' as const, id: document_id })),
  ];
  await deps.holds.forTenant(tenant_id).addToListing(hold_id, subjects, new Date(deps.clock.nowMs()));
}

function checkScope(scope: HoldScope, matterId: string | null): void {
  const faults: FieldFault[] = [];
  if (isEmptyScope({ scope, matter_id: matterId })) {
    faults.push(fault('/scope', 'empty', 'Must name or match at least one record.'));
  }
  if (scope.from !== undefined && scope.to !== undefined && Date.parse(scope.from) >= Date.parse(scope.to)) {
    faults.push(fault('/scope/to', 'range', 'Must be later than `from`.'));
  }
  if (faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
}
