import { kindOf, type LinkedEvent, type LinkKind, type LinkRole, type NumberKey } from './linked-event.js';

/** The relation of another event to this one. */
export const EDGE_KINDS = [
  'ADJUDICATES',
  'ADJUDICATED_BY',
  'REPORTS_ON',
  'REPORTED_BY',
  'AUTHORIZED_BY',
  'AUTHORIZES',
  'REFERRED_BY',
  'REFERS',
  'ANSWERS',
  'ANSWERED_BY',
  'REVERSES',
  'REVERSED_BY',
  'REPLACES',
  'REPLACED_BY',
  'SAME_CLAIM',
  'SAME_AUTHORIZATION',
] as const;
export type EdgeKind = (typeof EDGE_KINDS)[number];

/** One edge, seen from one end. */
export interface Edge {
  readonly kind: EdgeKind;
  readonly event_id: string;
  readonly event_type: string;
  /** The number that both have. */
  readonly via: LinkKind;
}

interface Pair {
  readonly from: LinkRole;
  readonly to: LinkRole;
  /** In order: the first common kind names the edge. */
  readonly via: readonly LinkKind[];
  readonly kind: EdgeKind;
  readonly back: EdgeKind;
}

const pair = (from: LinkRole, to: LinkRole, via: readonly LinkKind[], kind: EdgeKind, back: EdgeKind): Pair => ({
  from,
  to,
  via,
  kind,
  back,
});

const CLAIM_NUMBERS = ['CLAIM', 'PAYER_CLAIM', 'RESOURCE'] as const;
const REVIEW_NUMBERS = ['TRACE', 'RESOURCE', 'AUTHORIZATION', 'CLAIM', 'SUBMISSION'] as const;
const FILL_NUMBERS = ['PRESCRIPTION', 'PAYER_CLAIM'] as const;

/** Which roles are linked, by which numbers, in which relation. Pairs not listed are not linked. */
const PAIRS: readonly Pair[] = [
  pair('REMITTANCE', 'CLAIM', CLAIM_NUMBERS, 'ADJUDICATES', 'ADJUDICATED_BY'),
  pair('CLAIM_STATUS', 'CLAIM', [...CLAIM_NUMBERS, 'CLEARINGHOUSE_CLAIM'], 'REPORTS_ON', 'REPORTED_BY'),
  pair('CLAIM_STATUS', 'CLAIM_STATUS_REQUEST', ['TRACE'], 'ANSWERS', 'ANSWERED_BY'),
  pair('ELIGIBILITY_ANSWER', 'ELIGIBILITY_REQUEST', ['TRACE', 'SUBMISSION'], 'ANSWERS', 'ANSWERED_BY'),
  pair('CLAIM_STATUS', 'REMITTANCE', ['PAYER_CLAIM'], 'SAME_CLAIM', 'SAME_CLAIM'),
  pair('CLAIM', 'AUTHORIZATION_DECISION', ['AUTHORIZATION'], 'AUTHORIZED_BY', 'AUTHORIZES'),
  pair('CLAIM', 'AUTHORIZATION_REQUEST', ['AUTHORIZATION'], 'AUTHORIZED_BY', 'AUTHORIZES'),
  pair('REMITTANCE', 'AUTHORIZATION_DECISION', ['AUTHORIZATION'], 'AUTHORIZED_BY', 'AUTHORIZES'),
  pair('REMITTANCE', 'AUTHORIZATION_REQUEST', ['AUTHORIZATION'], 'AUTHORIZED_BY', 'AUTHORIZES'),
  pair('CLAIM', 'REFERRAL', ['REFERRAL', 'AUTHORIZATION'], 'REFERRED_BY', 'REFERS'),
  pair('AUTHORIZATION_REQUEST', 'REFERRAL', ['REFERRAL', 'AUTHORIZATION'], 'REFERRED_BY', 'REFERS'),
  pair('AUTHORIZATION_DECISION', 'AUTHORIZATION_REQUEST', REVIEW_NUMBERS, 'ANSWERS', 'ANSWERED_BY'),
  pair('PHARMACY_RESPONSE', 'PHARMACY_REQUEST', FILL_NUMBERS, 'ANSWERS', 'ANSWERED_BY'),
  pair('PHARMACY_REQUEST', 'PHARMACY_RESPONSE', ['AUTHORIZATION'], 'AUTHORIZED_BY', 'AUTHORIZES'),
  pair('PHARMACY_REVERSAL', 'PHARMACY_REQUEST', ['PRESCRIPTION'], 'REVERSES', 'REVERSED_BY'),
  pair('PHARMACY_REVERSAL', 'PHARMACY_RESPONSE', FILL_NUMBERS, 'REVERSES', 'REVERSED_BY'),
  pair('PHARMACY_REVERSAL_RESPONSE', 'PHARMACY_REVERSAL', ['PRESCRIPTION'], 'ANSWERS', 'ANSWERED_BY'),
  pair('HOOK_ANSWER', 'HOOK_REQUEST', ['HOOK'], 'ANSWERS', 'ANSWERED_BY'),
  pair('HOOK_FEEDBACK', 'HOOK_ANSWER', ['CARD'], 'ANSWERS', 'ANSWERED_BY'),
  pair('CLAIM', 'CLAIM', ['CLAIM'], 'SAME_CLAIM', 'SAME_CLAIM'),
  pair('REMITTANCE', 'REMITTANCE', ['PAYER_CLAIM', 'CLAIM'], 'SAME_CLAIM', 'SAME_CLAIM'),
  pair('AUTHORIZATION_REQUEST', 'AUTHORIZATION_REQUEST', REVIEW_NUMBERS, 'SAME_AUTHORIZATION', 'SAME_AUTHORIZATION'),
  pair('AUTHORIZATION_DECISION', 'AUTHORIZATION_DECISION', REVIEW_NUMBERS, 'SAME_AUTHORIZATION', 'SAME_AUTHORIZATION'),
];

/**
 * The edges of an event to others with the same numbers. Symmetric: an edge exists from both ends, with inverse names.
 *
 * @param others all events that share a number with it, which decide whether a number belongs to another member.
 */
export function edgesOf(self: LinkedEvent, others: readonly LinkedEvent[]): Edge[] {
  const edges: Edge[] = [];
  for (const other of others) {
    const found = other.event_id === self.event_id ? undefined : edgeTo(self, other, others);
    if (found !== undefined) edges.push({ ...found, event_id: other.event_id, event_type: other.event_type });
  }
  return edges;
}

type Joined = Pick<Edge, 'kind' | 'via'>;

function edgeTo(self: LinkedEvent, other: LinkedEvent, group: readonly LinkedEvent[]): Joined | undefined {
  const shared = self.keys.filter((key) => other.keys.includes(key) && concerns(key, self, other, group));
  if (shared.length === 0) return undefined;
  return (
    named(shared, self.replaces, 'REPLACES') ??
    named(shared, other.replaces, 'REPLACED_BY') ??
    named(shared, self.answers, 'ANSWERS') ??
    named(shared, other.answers, 'ANSWERED_BY') ??
    reversal(shared, self, other) ??
    paired(shared, self, other)
  );
}

function named(shared: readonly NumberKey[], naming: readonly NumberKey[], kind: EdgeKind): Joined | undefined {
  const key = shared.find((one) => naming.includes(one));
  return key === undefined ? undefined : { kind, via: kindOf(key) };
}

/** CLP02 22 reverses an earlier decision. */
function reversal(shared: readonly NumberKey[], self: LinkedEvent, other: LinkedEvent): Joined | undefined {
  if (self.role !== 'REMITTANCE' || other.role !== 'REMITTANCE') return undefined;
  const [reverses, reversed] = [self, other].map(({ event_type }) => event_type === 'claim_reversed');
  const joined = reverses === reversed ? undefined : paired(shared, self, other);
  return joined && { ...joined, kind: reverses ? 'REVERSES' : 'REVERSED_BY' };
}

function paired(shared: readonly NumberKey[], self: LinkedEvent, other: LinkedEvent): Joined | undefined {
  const kinds = shared.map(kindOf);
  for (const { from, to, via: ways, kind, back } of PAIRS) {
    const forth = from === self.role && to === other.role;
    if (!forth && !(from === other.role && to === self.role)) continue;
    const via = ways.find((way) => kinds.includes(way));
    if (via !== undefined) return { kind: forth ? kind : back, via };
  }
  return undefined;
}

/**
 * Decides whether a common number means the same thing at both ends. Account and trace numbers belong to one provider,
 * so two providers may use the same one. If an end has a counterpart of the same member, another member's does not
 * count. A single counterpart of another member counts: a dependent's payment names the dependent, the claim the
 * subscriber.
 */
function concerns(key: NumberKey, self: LinkedEvent, other: LinkedEvent, group: readonly LinkedEvent[]): boolean {
  // BHT03 names a whole submission, in which the member separates the events.
  if (kindOf(key) === 'SUBMISSION') return self.member !== null && self.member === other.member;
  if (self.member === null || other.member === null || self.member === other.member) return true;
  return ![...group, self].some(
    (third) =>
      third.keys.includes(key) &&
      ((third.role === other.role && third.member === self.member && third.event_id !== self.event_id) ||
        (third.role === self.role && third.member === other.member && third.event_id !== other.event_id)),
  );
}

/** Roles that an event of this role may have an edge to. */
export const rolesJoinedTo = (role: LinkRole): LinkRole[] => [
  ...new Set([
    ...PAIRS.flatMap(({ from, to }) => (from === role ? [to] : to === role ? [from] : [])),
    // A message never answers itself.
    ...(role === 'MESSAGE' ? [role] : []),
  ]),
];
