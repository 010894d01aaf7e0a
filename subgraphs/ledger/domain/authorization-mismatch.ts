import { keysOfKinds, type LinkedEvent, type NumberKey, numberOf } from './linked-event.js';

/** What does not agree between a remittance, its claim and the authorizations that they name. */
export type AuthorizationMismatch = {
  readonly difference: 'PAID_WITHOUT_AUTHORIZATION' | 'PAID_NOT_APPROVED' | 'DENIED_THOUGH_APPROVED';
  /** The number; of several the first. */
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

/** Whether the remittance denies something for want of an authorization. */
export const deniesForAuthorization = ({ outcome, denied_for }: LinkedEvent): boolean =>
  denied_for.length > 0 && DENIED.has(outcome ?? '');

export const isPaid = ({ outcome }: LinkedEvent): boolean => PAID.has(outcome ?? '');

/** The numbers of authorizations that the remittance or its claims name. */
export const authorizationsNamed = (events: readonly LinkedEvent[]): NumberKey[] => [
  ...new Set(events.flatMap(({ keys }) => keysOfKinds(keys, ['AUTHORIZATION']))),
];

/**
 * Compares a remittance with the authorizations that it or its claim names. Null where they agree, or where nothing can be
 * said. A denial is judged first: of a payment in part the denied part is what a member loses.
 *
 * @param decisions that name one of the numbers.
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
      ...told(approved.number, approved.decision),
      reasons: [...remittance.denied_for],
      message: `Denied for want of an authorization (CARC ${remittance.denied_for.join(', ')}), and an approved one is on file: this wins an appeal. Both events are its evidence.`,
    };
  }
  if (!isPaid(remittance) || deniesForAuthorization(remittance) || approved !== undefined) return null;
  const refused = standing.find(({ decision }) => NOT_APPROVED.has(decision.outcome ?? ''));
  if (refused !== undefined) {
    return {
      difference: 'PAID_NOT_APPROVED',
      ...about,
      ...told(refused.number, refused.decision),
      message: 'Paid, and the authorization that is named was not approved.',
    };
  }
  if (standing.length > 0) return null;
  return {
    difference: 'PAID_WITHOUT_AUTHORIZATION',
    ...about,
    authorization: numberOf(first),
    message: 'Paid, and the authorization that is named is not on file.',
  };
}

const told = (number: NumberKey, { event_id, outcome }: LinkedEvent) => ({
  authorization: numberOf(number),
  authorization_event_id: event_id,
  authorization_outcome: outcome ?? 'unknown',
});

/** What held when the remittance was made: the last decision until then; one that is known only from later counts too. */
function standingDecision(
  number: NumberKey,
  remittance: LinkedEvent,
  decisions: readonly LinkedEvent[],
): LinkedEvent | undefined {
  const of = decisions.filter(({ keys }) => keys.includes(number)).sort((a, b) => a.at.getTime() - b.at.getTime());
  return of.filter(({ at }) => at.getTime() <= remittance.at.getTime()).at(-1) ?? of[0];
}
