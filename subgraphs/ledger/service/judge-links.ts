import type { Clock } from '../../../shared/clock/clock.js';
import type { ExceptionKind } from '../../../shared/contracts/exceptions.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { clockVerdict, decisionOf, hoursSince } from '../domain/authorization-clock.js';
import {
  authorizationMismatch,
  authorizationsNamed,
  deniesForAuthorization,
  isApproval,
  isPaid,
} from '../domain/authorization-mismatch.js';
import { exceptionIdOf } from '../domain/exception-id.js';
import { edgesOf } from '../domain/link-edges.js';
import {
  type AuthorizationClock,
  keysOfKinds,
  type LinkRole,
  type NumberKey,
  numberOf,
} from '../domain/linked-event.js';
import type { OpenExceptions } from './open-exception.js';
import type { ExceptionDraft } from './ports/exception-store.js';
import type { ResolveException } from './ports/feed-exceptions.js';
import type { LinkRow, LinkStore, TenantLinks } from './ports/link-store.js';

export interface JudgeDeps {
  readonly clock: Clock;
  readonly links: LinkStore;
  readonly openExceptions: OpenExceptions;
  readonly resolveException: ResolveException;
}

/** What is to be done about an event now. */
export interface Verdict {
  readonly open: readonly { readonly kind: ExceptionKind; readonly detail: JsonObject }[];
  /** Exceptions that are over where they stand, and why. */
  readonly over: readonly { readonly kind: ExceptionKind; readonly note: string }[];
  /** Whether something may still come that changes it. */
  readonly watched: boolean;
  /** When time alone changes it. */
  readonly due_at: Date | null;
}

/** Of more events that share a number the newest decide. */
const MAX_SHARING = 100;
const CLAIM_KINDS = ['CLAIM', 'PAYER_CLAIM', 'RESOURCE'] as const;
const NOTHING: Verdict = { open: [], over: [], watched: false, due_at: null };

/** Roles that are judged, and those whose coming may change a verdict. */
export const isJudged = ({ role, clock }: Pick<LinkRow, 'role' | 'clock'>): boolean =>
  role === 'REMITTANCE' || clock !== null;
export const TELLING_ROLES: ReadonlySet<LinkRole> = new Set([
  'CLAIM',
  'AUTHORIZATION_REQUEST',
  'AUTHORIZATION_DECISION',
]);

/**
 * Judges an event by what is there now, and does what follows. What comes in between is not lost: it is there before its own
 * consumer looks for those that wait, and what was opened is judged again afterwards. Doing it again changes nothing.
 *
 * @param row that stands in the store as watched.
 */
export async function judge(deps: JudgeDeps, row: LinkRow): Promise<void> {
  const links = deps.links.forTenant(row.tenant_id);
  const again = { ...row, ...(await apply(deps, links, row, await verdictOf(deps, links, row))) };
  if (again.opened.length > row.opened.length) await apply(deps, links, again, await verdictOf(deps, links, again));
}

/** @returns what it waits for now, and the exceptions that it has. */
async function apply(deps: JudgeDeps, links: TenantLinks, row: LinkRow, verdict: Verdict): Promise<Waiting> {
  const { tenant_id, event_id } = row;
  const subject = { kind: 'EVENT', id: event_id };
  const over = verdict.over.filter(({ kind }) => row.opened.includes(kind));
  for (const { kind, note } of over) await deps.resolveException(tenant_id, kind, subject, note);
  const kept = row.opened.filter((kind) => !over.some((one) => one.kind === kind));
  const fresh = verdict.open.filter(({ kind }) => !kept.includes(kind));
  const opened = [...kept, ...fresh.map(({ kind }) => kind)];
  // Told before it is opened: whoever judges it meanwhile knows what may have to be taken back. Until it is opened it stays
  // due, at the end of a grace that others of its exceptions may still have.
  const pending = { watched: true, due_at: row.due_at ?? new Date(deps.clock.nowMs()), opened };
  const { watched, due_at } = verdict;
  const waiting = fresh.length > 0 ? pending : { watched, due_at, opened };
  if (!isSame(row, waiting)) await links.wait(row, waiting);
  // Those that stand already too: a crash may have come between telling and opening.
  await deps.openExceptions(
    tenant_id,
    verdict.open.map(({ kind, detail }) => draftOf(kind, event_id, subject, detail)),
  );
  return waiting;
}

type Waiting = Pick<LinkRow, 'watched' | 'due_at' | 'opened'>;

const isSame = (a: Waiting, b: Waiting): boolean =>
  a.watched === b.watched && a.due_at?.getTime() === b.due_at?.getTime() && a.opened.join() === b.opened.join();

/** Named after its event: once for each event, whoever derives it again and whatever a person has made of it. */
const draftOf = (kind: ExceptionKind, eventId: string, subject: JsonObject, detail: JsonObject): ExceptionDraft => ({
  exception_id: exceptionIdOf(kind, eventId),
  kind,
  source: 'RECONCILIATION',
  subject,
  detail,
});

export async function verdictOf(deps: Pick<JudgeDeps, 'clock'>, links: TenantLinks, row: LinkRow): Promise<Verdict> {
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
    return { ...NOTHING, over: [{ kind: 'AUTHORIZATION_LATE', note: 'it was decided in time' }] };
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
  // One that was late stays what it was, however often it is answered; one that is pending may yet turn out answered in time.
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
  if (!unmatched) over.push({ kind: 'UNMATCHED_REMITTANCE', note: 'the claim has come' });
  const mismatch = authorizationMismatch(row, claims, decisions);
  const waits = mismatch?.difference === 'PAID_WITHOUT_AUTHORIZATION';
  // A plan that sends no prior authorizations here has none on file, and nothing is missing.
  const holds = mismatch !== null && (!waits || (isDue && (await links.hasDecisions())));
  if (holds) {
    open.push({ kind: 'AUTHORIZATION_MISMATCH', detail: { ...mismatch } });
  } else if (mismatch === null) {
    over.push({ kind: 'AUTHORIZATION_MISMATCH', note: 'what was missing has come' });
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

/** Events of these roles that share a number with the row and are joined to it. */
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
