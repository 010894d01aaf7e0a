import type { Clock } from '../../../shared/clock/clock.js';
import type { ExceptionKind } from '../../../shared/contracts/exceptions.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { exceptionIdOf } from '../exceptions/domain/index.js';
import type { ExceptionDraft, OpenExceptions, ResolveException } from '../exceptions/index.js';
import { clockVerdict, decisionOf, hoursSince } from './domain/authorization-clock.js';
import {
  authorizationMismatch,
  authorizationsNamed,
  deniesForAuthorization,
  isApproval,
  isPaid,
} from './domain/authorization-mismatch.js';
import { edgesOf } from './domain/edges.js';
import {
  type AuthorizationClock,
  keysOfKinds,
  type LinkRole,
  type NumberKey,
  numberOf,
} from './domain/linked-event.js';
import type { LinkRow, LinkStore, TenantLinks } from './ports.js';

export interface EvaluateDeps {
  readonly clock: Clock;
  readonly links: LinkStore;
  readonly openExceptions: OpenExceptions;
  readonly resolveException: ResolveException;
}

/** The actions due for an event. */
interface Verdict {
  readonly open: readonly { readonly kind: ExceptionKind; readonly detail: JsonObject }[];
  /** Exceptions to resolve if open, with the reason. */
  readonly over: readonly { readonly kind: ExceptionKind; readonly note: string }[];
  /** True if a later event may change the verdict. */
  readonly watched: boolean;
  /** The time at which the verdict changes without a new event. */
  readonly due_at: Date | null;
}

/** The newest of the events that share a number decide. */
const MAX_SHARING = 100;
const CLAIM_KINDS = ['CLAIM', 'PAYER_CLAIM', 'RESOURCE'] as const;
const NOTHING: Verdict = { open: [], over: [], watched: false, due_at: null };

/** Roles that are evaluated, and roles that may change a verdict when they arrive. */
export const isEvaluated = ({ role, clock }: Pick<LinkRow, 'role' | 'clock'>): boolean =>
  role === 'REMITTANCE' || clock !== null;
export const RELEVANT_ROLES: ReadonlySet<LinkRole> = new Set([
  'CLAIM',
  'AUTHORIZATION_REQUEST',
  'AUTHORIZATION_DECISION',
]);

/**
 * Evaluates an event by the current links and performs the actions. Events that arrive meanwhile are not lost: they are
 * stored before their consumer looks for waiting rows, and opened exceptions are evaluated again. Idempotent.
 *
 * @param row stored as watched.
 */
export async function evaluate(deps: EvaluateDeps, row: LinkRow): Promise<void> {
  const links = deps.links.forTenant(row.tenant_id);
  const again = { ...row, ...(await apply(deps, links, row, await verdictOf(deps, links, row))) };
  if (again.opened.length > row.opened.length) await apply(deps, links, again, await verdictOf(deps, links, again));
}

/** @returns what it waits for now, and its exceptions. */
async function apply(deps: EvaluateDeps, links: TenantLinks, row: LinkRow, verdict: Verdict): Promise<Waiting> {
  const { tenant_id, event_id } = row;
  const subject = { kind: 'EVENT', id: event_id };
  const over = verdict.over.filter(({ kind }) => row.opened.includes(kind));
  for (const { kind, note } of over) await deps.resolveException(tenant_id, kind, subject, note);
  const kept = row.opened.filter((kind) => !over.some((one) => one.kind === kind));
  const fresh = verdict.open.filter(({ kind }) => !kept.includes(kind));
  const opened = [...kept, ...fresh.map(({ kind }) => kind)];
  // Stored before the exception opens, so that a parallel evaluation can resolve it. Until then the row stays due after
  // a grace period.
  const pending = { watched: true, due_at: row.due_at ?? new Date(deps.clock.nowMs()), opened };
  const { watched, due_at } = verdict;
  const waiting = fresh.length > 0 ? pending : { watched, due_at, opened };
  if (!isSame(row, waiting)) await links.wait(row, waiting);
  // Includes stored ones: a crash may have occurred before opening.
  await deps.openExceptions(
    tenant_id,
    verdict.open.map(({ kind, detail }) => draftOf(kind, event_id, subject, detail)),
  );
  return waiting;
}

type Waiting = Pick<LinkRow, 'watched' | 'due_at' | 'opened'>;

const isSame = (a: Waiting, b: Waiting): boolean =>
  a.watched === b.watched && a.due_at?.getTime() === b.due_at?.getTime() && a.opened.join() === b.opened.join();

/** Named by its event: opened once per event, whatever derives it again and whatever a person did with it. */
const draftOf = (kind: ExceptionKind, eventId: string, subject: JsonObject, detail: JsonObject): ExceptionDraft => ({
  exception_id: exceptionIdOf(kind, eventId),
  kind,
  source: 'RECONCILIATION',
  subject,
  detail,
});

export async function verdictOf(deps: Pick<EvaluateDeps, 'clock'>, links: TenantLinks, row: LinkRow): Promise<Verdict> {
  if (row.clock !== null) return requestVerdict(links, row, row.clock, deps.clock.nowMs());
  return row.role === 'REMITTANCE' ? remittanceVerdict(links, row, deps.clock.nowMs()) : NOTHING;
}

async function requestVerdict(
  links: TenantLinks,
  row: LinkRow,
  clock: AuthorizationClock,
  nowMs: number,
): Promise<Verdict> {
  const roles: LinkRole[] = ['AUTHORIZATION_DECISION', 'AUTHORIZATION_REQUEST'];
  const answers = await joined(links, row, row.keys, roles);
  const answer = decisionOf(clock, answers);
  const verdict = clockVerdict(clock, answer?.at.getTime() ?? null, nowMs);
  if (verdict === 'WAITING') return { ...NOTHING, watched: true, due_at: new Date(clock.due_at.getTime() + 1) };
  if (verdict === 'IN_TIME') {
    return { ...NOTHING, over: [{ kind: 'AUTHORIZATION_LATE', note: 'the request was decided in time' }] };
  }
  const detail = {
    requested_at: clock.requested_at.toISOString(),
    due_at: clock.due_at.toISOString(),
    answered_at: answer?.at.toISOString() ?? null,
    hours: hoursSince(clock, answer?.at.getTime() ?? nowMs),
    limit_hours: clock.limit_hours,
    pace: clock.pace,
    program: clock.program,
    rule: clock.rule,
    ...(answer === undefined ? {} : { answer_event_id: answer.event_id }),
  };
  // A late decision stays late; a pending one may still prove in time.
  return { open: [{ kind: 'AUTHORIZATION_LATE', detail }], over: [], watched: answer === undefined, due_at: null };
}

async function remittanceVerdict(links: TenantLinks, row: LinkRow, nowMs: number): Promise<Verdict> {
  const numbers = keysOfKinds(row.keys, CLAIM_KINDS);
  const claims = await joined(links, row, numbers, ['CLAIM']);
  const named = authorizationsNamed([row, ...claims]);
  const decisions = await links.sharing(named, ['AUTHORIZATION_DECISION'], MAX_SHARING);
  const isDue = row.due_at === null || nowMs >= row.due_at.getTime();
  const open: Verdict['open'][number][] = [];
  const over: Verdict['over'][number][] = [];
  const unmatched = numbers.length > 0 && claims.length === 0;
  if (unmatched && isDue) open.push({ kind: 'UNMATCHED_REMITTANCE', detail: unmatchedDetail(numbers) });
  if (!unmatched) over.push({ kind: 'UNMATCHED_REMITTANCE', note: 'the claim has arrived' });
  const mismatch = authorizationMismatch(row, claims, decisions);
  const waits = mismatch?.difference === 'PAID_WITHOUT_AUTHORIZATION';
  // A plan that sends no prior authorizations here has none on file, so nothing is missing.
  const holds = mismatch !== null && (!waits || (isDue && (await links.hasDecisions())));
  if (holds) {
    open.push({ kind: 'AUTHORIZATION_MISMATCH', detail: { ...mismatch } });
  } else if (mismatch === null) {
    over.push({ kind: 'AUTHORIZATION_MISMATCH', note: 'the missing event has arrived' });
  }
  const approved = decisions.some(isApproval);
  const watched =
    unmatched || waits || (!approved && (deniesForAuthorization(row) || (isPaid(row) && named.length > 0)));
  return { open, over, watched, due_at: watched && !isDue && (unmatched || waits) ? row.due_at : null };
}

const unmatchedDetail = (numbers: readonly NumberKey[]): JsonObject => {
  const [claim_id] = keysOfKinds(numbers, ['CLAIM', 'RESOURCE']);
  const [payer_claim_id] = keysOfKinds(numbers, ['PAYER_CLAIM']);
  return {
    claim_id: claim_id === undefined ? null : numberOf(claim_id),
    ...(payer_claim_id === undefined ? {} : { payer_claim_id: numberOf(payer_claim_id) }),
  };
};

/** Events of these roles that share a number with the row and are linked to it. */
async function joined(
  links: TenantLinks,
  row: LinkRow,
  keys: readonly NumberKey[],
  roles: readonly LinkRole[],
): Promise<LinkRow[]> {
  const sharing = await links.sharing(keys, roles, MAX_SHARING);
  const ids = new Set(edgesOf(row, sharing).map(({ event_id }) => event_id));
  return sharing.filter(({ event_id }) => ids.has(event_id));
}

const AT_ONCE = 200;
/** A failure on one row must not block the others. */
const AGAIN_AFTER_MS = 3_600_000;

/** Evaluates rows that are due: remittances without a claim, and undecided requests. */
export async function evaluateDue(
  deps: EvaluateDeps & { readonly logger: Pick<Logger, 'error'> },
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const due = await deps.links.due(deps.clock.nowMs(), AT_ONCE);
    for (const row of due) {
      if (signal.aborted) return;
      try {
        await evaluate(deps, row);
      } catch (error) {
        deps.logger.error(
          { ...describeUnexpected(error), event_id: row.event_id },
          'the links of an event could not be evaluated',
        );
        const due_at = new Date(deps.clock.nowMs() + AGAIN_AFTER_MS);
        await deps.links.forTenant(row.tenant_id).wait(row, { ...row, due_at });
      }
    }
    if (due.length < AT_ONCE) return;
  }
}
