import { keysOfKinds, type LinkedEvent, type NumberKey, numberOf } from './linked-event.js';

/** A disagreement between a remittance, its claim and the authorizations that they name. */
type AuthorizationMismatch = {
  readonly difference: 'PAID_WITHOUT_AUTHORIZATION' | 'PAID_NOT_APPROVED' | 'DENIED_THOUGH_APPROVED';
  /** The number; the first of several. */
  readonly authorization: string;
  readonly message: string;
  readonly claim_event_id?: string;
  readonly authorization_event_id?: string;
  readonly authorization_outcome?: string;
  readonly reasons?: string[];
};

const PAID: ReadonlySet<string> = new Set(['paid', 'partially_paid']);
const DENIED: ReadonlySet<string> = new Set(['denied', 'partially_paid', 'rejected']);
const APPROVED: ReadonlySet<string> = new Set(['approved', 'partially_approved']);
const NOT_APPROVED: ReadonlySet<string> = new Set(['denied', 'cancelled', 'rejected']);

export const isApproval = ({ outcome }: Pick<LinkedEvent, 'outcome'>): boolean => APPROVED.has(outcome ?? '');

/** True if the remittance denies something for a missing authorization. */
export const deniesForAuthorization = ({ outcome, denied_for }: LinkedEvent): boolean =>
  denied_for.length > 0 && DENIED.has(outcome ?? '');

export const isPaid = ({ outcome }: LinkedEvent): boolean => PAID.has(outcome ?? '');

/** The authorization numbers of the remittance or its claims. */
export const authorizationsNamed = (events: readonly LinkedEvent[]): NumberKey[] => [
  ...new Set(events.flatMap(({ keys }) => keysOfKinds(keys, ['AUTHORIZATION']))),
];

/**
 * Compares a remittance with the authorizations that it or its claim names. Null if they agree or nothing is known.
 * Denials come first: in a partial payment the member loses the denied part.
 *
 * @param decisions that have one of the numbers.
 */
export function authorizationMismatch(
  remittance: LinkedEvent,
  claims: readonly LinkedEvent[],
  decisions: readonly LinkedEvent[],
): AuthorizationMismatch | null {
  const numbers = authorizationsNamed([remittance, ...claims]);
  const [first] = numbers;
  if (first === undefined) return null;
  const [claim] = claims;
  const about = claim === undefined ? {} : { claim_event_id: claim.event_id };
  const standing = numbers.flatMap((number) => {
    const decision = standingDecision(number, remittance, decisions);
    return decision === undefined ? [] : [{ number, decision }];
  });
  const approved = standing.find(({ decision }) => isApproval(decision));
  if (deniesForAuthorization(remittance) && approved !== undefined) {
    return {
      difference: 'DENIED_THOUGH_APPROVED',
      ...about,
      ...evidenceOf(approved.number, approved.decision),
      reasons: [...remittance.denied_for],
      message: `Denied for a missing authorization (CARC ${remittance.denied_for.join(', ')}) although an approved one is on file. Both events are evidence for an appeal.`,
    };
  }
  if (!isPaid(remittance) || deniesForAuthorization(remittance) || approved !== undefined) return null;
  const refused = standing.find(({ decision }) => NOT_APPROVED.has(decision.outcome ?? ''));
  if (refused !== undefined) {
    return {
      difference: 'PAID_NOT_APPROVED',
      ...about,
      ...evidenceOf(refused.number, refused.decision),
      message: 'Paid although the named authorization was not approved.',
    };
  }
  if (standing.length > 0) return null;
  return {
    difference: 'PAID_WITHOUT_AUTHORIZATION',
    ...about,
    authorization: numberOf(first),
    message: 'Paid although the named authorization is not on file.',
  };
}

const evidenceOf = (number: NumberKey, { event_id, outcome }: LinkedEvent) => ({
  authorization: numberOf(number),
  authorization_event_id: event_id,
  authorization_outcome: outcome ?? 'unknown',
});

/** The valid decision at the time of the remittance: the last one before it, else the first one after it. */
function standingDecision(
  number: NumberKey,
  remittance: LinkedEvent,
  decisions: readonly LinkedEvent[],
): LinkedEvent | undefined {
  const of = decisions.filter(({ keys }) => keys.includes(number)).sort((a, b) => a.at.getTime() - b.at.getTime());
  return of.filter(({ at }) => at.getTime() <= remittance.at.getTime()).at(-1) ?? of[0];
}
