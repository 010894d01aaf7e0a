/** What a transaction code (103-A3) asks for or answers. */
export interface TransactionKind {
  readonly name: string;
  readonly request: string;
  readonly response: string;
  /** A request cannot be read without one of these segments. */
  readonly needs: readonly string[];
}

const claim = { response: 'claim_adjudicated', needs: ['AM07'] };
const reversal = { request: 'claim_reversal_requested', response: 'reversal_decided', needs: ['AM07'] };
const authorization = { response: 'authorization_decided', needs: ['AM12', 'AM07'] };

const kinds: ReadonlyMap<string, TransactionKind> = new Map(
  Object.entries({
    B1: { ...claim, name: 'billing', request: 'claim_submitted' },
    B2: { ...reversal, name: 'reversal' },
    B3: { ...claim, name: 'rebill', request: 'claim_rebilled' },
    S1: { ...claim, name: 'service billing', request: 'claim_submitted' },
    S2: { ...reversal, name: 'service reversal' },
    S3: { ...claim, name: 'service rebill', request: 'claim_rebilled' },
    D1: {
      name: 'predetermination of benefits',
      request: 'claim_predetermination',
      response: 'claim_estimated',
      needs: ['AM07'],
    },
    E1: {
      name: 'eligibility',
      request: 'eligibility_asked',
      response: 'eligibility_reported',
      needs: ['AM04', 'AM01'],
    },
    P1: { ...authorization, name: 'prior authorization request and billing', request: 'authorization_requested' },
    P2: {
      ...authorization,
      name: 'prior authorization reversal',
      request: 'authorization_reversal_requested',
      response: 'reversal_decided',
    },
    P3: { ...authorization, name: 'prior authorization inquiry', request: 'authorization_asked' },
    P4: { ...authorization, name: 'prior authorization request only', request: 'authorization_requested' },
  }),
);

/** The kind of a transaction code; null for one that gives no event. */
export function kindOf(code: string): TransactionKind | null {
  return kinds.get(code) ?? null;
}

/** 112-AN to outcome. What it does not list is unknown, never a guess. */
const outcomes: ReadonlyMap<string, string> = new Map([
  ['A', 'approved'],
  ['C', 'accepted'],
  ['D', 'duplicate'],
  ['F', 'pended'],
  ['P', 'paid'],
  ['Q', 'duplicate'],
  ['R', 'denied'],
  ['S', 'duplicate'],
]);

/** The outcome of a transaction response status (112-AN); null for an unknown one. */
export function outcomeOf(status: string): string | null {
  return outcomes.get(status) ?? null;
}
