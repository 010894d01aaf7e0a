import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { type LedgerRow, queryFieldsOf } from '../../../subgraphs/ledger/append/domain/ledger-row.js';
import { exceptionIdOf } from '../../../subgraphs/ledger/exceptions/domain/identity.js';
import { authorizationMismatch } from '../../../subgraphs/ledger/links/domain/authorization-mismatch.js';
import { edgesOf } from '../../../subgraphs/ledger/links/domain/edges.js';
import type { LinkedEvent } from '../../../subgraphs/ledger/links/domain/linked-event.js';
import { linkedEventOf } from '../../../subgraphs/ledger/links/domain/numbers.js';

let events = 0;

/** An event as the ledger keeps it; `words` is family, type and outcome. */
function maybeLinked(words: string, payload: JsonObject, over: JsonObject = {}): LinkedEvent | undefined {
  events += 1;
  const [event_family = '', event_type = '', outcome = ''] = words.split(' ');
  const envelope: JsonObject = {
    event_family,
    event_type,
    ...(outcome === '' ? {} : { outcome }),
    member_id: 'M-1',
    source_system: 'test',
    source_record_id: `R-${events}`,
    event_effective_timestamp: '2026-03-02T10:00:00Z',
    payload,
    ...over,
  };
  const row = { tenant_id: 't', event_id: `evt_${events}`, record: Buffer.from(JSON.stringify(envelope)) };
  return linkedEventOf({ ...row, query: queryFieldsOf(envelope) } as unknown as LedgerRow);
}

function linked(words: string, payload: JsonObject, over: JsonObject = {}): LinkedEvent {
  const found = maybeLinked(words, payload, over);
  if (found === undefined) throw new Error(`${words} names no number`);
  return found;
}

/** The edge between two events, seen from both ends, in a group of others. */
function edge(a: LinkedEvent, b: LinkedEvent, ...others: readonly LinkedEvent[]): string[] {
  const from = (self: LinkedEvent, to: LinkedEvent): string => {
    const found = edgesOf(self, [to, ...others]).find(({ event_id }) => event_id === to.event_id);
    return found === undefined ? 'none' : `${found.kind} ${found.via}`;
  };
  return [from(a, b), from(b, a)];
}

const claim = (payload: JsonObject, over: JsonObject = {}) => linked('claim claim_submitted submitted', payload, over);
const remittance = (payload: JsonObject, over: JsonObject = {}, outcome = 'paid') =>
  linked(`remittance claim_adjudicated ${outcome}`, payload, over);
const request = (payload: JsonObject, over: JsonObject = {}) =>
  linked('prior_authorization authorization_requested submitted', payload, over);
const decision = (payload: JsonObject, over: JsonObject = {}, outcome = 'approved') =>
  linked(`prior_authorization authorization_decided ${outcome}`, payload, over);

describe('linked events', () => {
  it('a claim and its remittance, by CLM01 and CLP01', () => {
    const paid = remittance({ claim_id: 'ACCT-1', payer_claim_id: 'PAY-1' });
    expect(edge(paid, claim({ claim_id: 'ACCT-1' }))).toEqual(['ADJUDICATES CLAIM', 'ADJUDICATED_BY CLAIM']);
    expect(edge(paid, claim({ claim_id: 'acct-1' }))).toEqual(['none', 'none']);
  });

  it('a claim, its authorization and the request for it', () => {
    const asked = request({ trace_numbers: ['T-1'] });
    const decided = decision({ trace_numbers: ['T-1'], authorization_number: 'A-1' });
    const billed = claim({ claim_id: 'C', prior_authorizations: ['A-1'] });
    expect(edge(asked, decided)).toEqual(['ANSWERED_BY TRACE', 'ANSWERS TRACE']);
    expect(edge(billed, decided)).toEqual(['AUTHORIZED_BY AUTHORIZATION', 'AUTHORIZES AUTHORIZATION']);
    expect(edge(billed, asked)).toEqual(['none', 'none']);
  });

  it('an inquiry and its answer, by their trace number', () => {
    const coverage = linked('eligibility eligibility_asked submitted', { trace_numbers: ['T-2'] });
    const covered = linked('eligibility eligibility_reported active', { trace_numbers: ['T-2'] });
    const status = linked('claim claim_status_asked submitted', { trace_numbers: ['T-2'], claim_id: 'C-2' });
    const told = linked('claim claim_status_reported paid', { trace_numbers: ['T-2'], claim_id: 'C-2' });
    expect(edge(coverage, covered)).toEqual(['ANSWERED_BY TRACE', 'ANSWERS TRACE']);
    expect(edge(status, told)).toEqual(['ANSWERED_BY TRACE', 'ANSWERS TRACE']);
    expect(edge(coverage, told)).toEqual(['none', 'none']);
    expect(edge(status, remittance({ claim_id: 'C-2' }))).toEqual(['none', 'none']);
    expect(maybeLinked('eligibility enrollment_added recorded', { trace_numbers: ['T-2'] })).toBeUndefined();
  });

  it('every number of an authorization, and a remittance that names one', () => {
    const decided = decision({ authorization_number: 'A-1', authorization_numbers: ['A-1', 'A-2'] });
    const paid = remittance({ claim_id: 'C', prior_authorizations: ['A-2'] });
    expect(edge(paid, decided)).toEqual(['AUTHORIZED_BY AUTHORIZATION', 'AUTHORIZES AUTHORIZATION']);
  });

  it('a replacement and what it replaces, by the number of the payer', () => {
    const first = remittance({ claim_id: 'C-1', payer_claim_id: 'PAY-9' });
    const again = linked('claim claim_replaced submitted', { claim_id: 'C-2', replaces: 'PAY-9' });
    expect(edge(again, first)).toEqual(['REPLACES PAYER_CLAIM', 'REPLACED_BY PAYER_CLAIM']);
  });

  it('a reversal and the payment that it reverses', () => {
    const reversed = linked('remittance claim_reversed reversed', { claim_id: 'C', payer_claim_id: 'P' });
    const paid = remittance({ claim_id: 'C', payer_claim_id: 'P' });
    expect(edge(reversed, paid)).toEqual(['REVERSES PAYER_CLAIM', 'REVERSED_BY PAYER_CLAIM']);
  });

  it('a status and its claim', () => {
    const status = linked('claim claim_status_reported accepted', { claim_id: 'C-1' });
    expect(edge(status, claim({ claim_id: 'C-1' }))).toEqual(['REPORTS_ON CLAIM', 'REPORTED_BY CLAIM']);
  });

  it('FHIR by reference, whatever the server, the version or the fullUrl', () => {
    const asked = request({ claim_id: 'own' }, { source_record_id: 'Claim/c1/3' });
    for (const relates_to of ['Claim/c1', 'https://h.example/fhir/Claim/c1', 'Claim/c1/_history/3', 'urn:uuid:c1']) {
      expect(edge(decision({ relates_to }), asked)).toEqual(['ANSWERS RESOURCE', 'ANSWERED_BY RESOURCE']);
    }
    expect(edge(decision({ relates_to: 'Claim/c11' }), asked)).toEqual(['none', 'none']);
  });

  it('pharmacy request, response, reversal and its response by provider, prescription and day', () => {
    const id = (code: string, fill: string, day = '20260601') => ({
      source_record_id: `${code}/1234567893/0000123/${fill}/${day}`,
    });
    const asked = linked('pharmacy claim_submitted submitted', {}, id('B1', '00'));
    const paid = linked('pharmacy claim_adjudicated paid', {}, id('B1', ''));
    const back = linked('pharmacy claim_reversal_requested submitted', {}, id('B2', '00'));
    const done = linked('pharmacy reversal_decided approved', {}, id('B2', ''));
    expect(edge(paid, asked)).toEqual(['ANSWERS PRESCRIPTION', 'ANSWERED_BY PRESCRIPTION']);
    expect(edge(back, asked)).toEqual(['REVERSES PRESCRIPTION', 'REVERSED_BY PRESCRIPTION']);
    expect(edge(back, paid)).toEqual(['REVERSES PRESCRIPTION', 'REVERSED_BY PRESCRIPTION']);
    expect(edge(done, back)).toEqual(['ANSWERS PRESCRIPTION', 'ANSWERED_BY PRESCRIPTION']);
    expect(edge(done, asked)).toEqual(['none', 'none']);
    const refill = linked('pharmacy claim_submitted submitted', {}, id('B1', '01', '20260701'));
    expect(edge(refill, paid)).toEqual(['none', 'none']);
  });

  it('a pharmacy claim and the answer with its authorization, without an answer or reversal edge', () => {
    const id = (code: string, number: string) => ({ source_record_id: `${code}/1234567893/${number}//20260601` });
    const given = linked('pharmacy authorization_decided approved', { authorization_number: 'PA-1' }, id('P4', 'RX1'));
    const billed = linked('pharmacy claim_submitted submitted', { authorization_number: 'PA-1' }, id('B1', 'RX2'));
    const back = linked('pharmacy claim_reversal_requested', { authorization_number: 'PA-1' }, id('B2', 'RX2'));
    expect(edge(billed, given)).toEqual(['AUTHORIZED_BY AUTHORIZATION', 'AUTHORIZES AUTHORIZATION']);
    expect(edge(back, given)).toEqual(['none', 'none']);
  });

  it('SCRIPT messages by the message that they relate to', () => {
    const asked = linked('pharmacy pa_request submitted', { message_id: 'X-1' });
    const answered = linked('pharmacy pa_response approved', { message_id: 'X-2', relates_to: 'X-1' });
    expect(edge(answered, asked)).toEqual(['ANSWERS MESSAGE', 'ANSWERED_BY MESSAGE']);
  });
});

describe('the conversation of CDS Hooks', () => {
  const hook = (type: string, payload: JsonObject) =>
    linked(`prior_authorization coverage_requirements_${type}`, payload);
  const asked = hook('asked', { hook_instance: 'H-1' });
  const answered = hook('answered', { hook_instance: 'H-1', card_ids: ['K-1', 'K-2'] });

  it('a response by the instance of its hook, and feedback by its cards', () => {
    const judged = hook('feedback', { card_ids: ['K-2'] });
    expect(edge(answered, asked)).toEqual(['ANSWERS HOOK', 'ANSWERED_BY HOOK']);
    expect(edge(judged, answered)).toEqual(['ANSWERS CARD', 'ANSWERED_BY CARD']);
    expect(edge(judged, asked)).toEqual(['none', 'none']);
  });

  it('not by another instance or card', () => {
    expect(edge(hook('answered', { hook_instance: 'H-2' }), asked)).toEqual(['none', 'none']);
    expect(edge(hook('feedback', { card_ids: ['K-3'] }), answered)).toEqual(['none', 'none']);
  });
});

describe('events without links', () => {
  it('by a placeholder for a missing number', () => {
    for (const claim_id of ['', ' ', '000', 'N/A', 'none'])
      expect(maybeLinked('claim claim_submitted', { claim_id })).toBeUndefined();
    expect(maybeLinked('member member_updated', { claim_id: 'C' })).toBeUndefined();
    expect(maybeLinked('claim charge_posted', { claim_id: 'C' })).toBeUndefined();
  });

  it('by a number that belongs to another member', () => {
    const own = claim({ claim_id: '1' }, { member_id: 'M-1' });
    const others = claim({ claim_id: '1' }, { member_id: 'M-2' });
    const paid = remittance({ claim_id: '1' }, { member_id: 'M-1' });
    expect(edge(paid, own, others)).toEqual(['ADJUDICATES CLAIM', 'ADJUDICATED_BY CLAIM']);
    expect(edge(paid, others, own)).toEqual(['none', 'none']);
    // A dependent's payment, alone with the subscriber's claim.
    expect(edge(paid, others)).toEqual(['ADJUDICATES CLAIM', 'ADJUDICATED_BY CLAIM']);
  });

  it('by the submission only, which covers many members', () => {
    const asked = request({ submission_reference: 'S-1' }, { member_id: 'M-1' });
    expect(edge(decision({ submission_reference: 'S-1' }, { member_id: 'M-2' }), asked)).toEqual(['none', 'none']);
    expect(edge(decision({ submission_reference: 'S-1' }, { member_id: 'M-1' }), asked)).toEqual([
      'ANSWERS SUBMISSION',
      'ANSWERED_BY SUBMISSION',
    ]);
  });

  it('with names in the stored row: only numbers, and a hash of the member', () => {
    const kept = claim({ claim_id: 'C-1', patient: { name: 'TESSA' } }, { member_id: 'MEMBER-77' });
    expect(JSON.stringify(kept)).not.toMatch(/TESSA|MEMBER-77/);
    const long = claim({ claim_id: 'x'.repeat(400) });
    expect(long.keys[0]?.length).toBeLessThan(100);
  });
});

describe('a remittance and its authorization', () => {
  const denied = (payload: JsonObject = {}, outcome = 'denied') =>
    remittance({ claim_id: 'C', carc: ['197'], ...payload }, {}, outcome);
  const billed = claim({ claim_id: 'C', prior_authorizations: ['A-1'] });
  const approved = decision({ authorization_number: 'A-1' });
  const refused = decision({ authorization_number: 'A-1' }, {}, 'denied');

  it.each(['15', '197', '198'])('is evidence for an appeal when denied for %s although approved', (reason) => {
    const found = authorizationMismatch(denied({ carc: ['45', reason] }), [billed], [approved]);
    expect(found).toMatchObject({
      difference: 'DENIED_THOUGH_APPROVED',
      authorization: 'A-1',
      claim_event_id: billed.event_id,
      authorization_event_id: approved.event_id,
      authorization_outcome: 'approved',
      reasons: [reason],
    });
    expect(found?.message).toContain('evidence for an appeal');
  });

  it('is found when denied in part, or when only the remittance names it', () => {
    expect(authorizationMismatch(denied({}, 'partially_paid'), [billed], [approved])?.difference).toBe(
      'DENIED_THOUGH_APPROVED',
    );
    expect(authorizationMismatch(denied({ prior_authorizations: ['A-1'] }), [], [approved])).not.toBeNull();
  });

  it('agrees when denied for another reason or without an approval', () => {
    expect(authorizationMismatch(denied({ carc: ['50'] }), [billed], [approved])).toBeNull();
    expect(authorizationMismatch(denied(), [billed], [])).toBeNull();
    expect(authorizationMismatch(denied(), [billed], [refused])).toBeNull();
    expect(authorizationMismatch(denied(), [claim({ claim_id: 'C' })], [approved])).toBeNull();
  });

  it('disagrees when paid without or against it', () => {
    const paid = remittance({ claim_id: 'C' });
    expect(authorizationMismatch(paid, [billed], [])?.difference).toBe('PAID_WITHOUT_AUTHORIZATION');
    expect(authorizationMismatch(paid, [billed], [refused])?.difference).toBe('PAID_NOT_APPROVED');
    expect(authorizationMismatch(paid, [billed], [approved])).toBeNull();
    expect(authorizationMismatch(paid, [claim({ claim_id: 'C' })], [])).toBeNull();
  });

  it('is compared with the decision valid at its time', () => {
    const at = (event_effective_timestamp: string) => ({ event_effective_timestamp });
    const paid = remittance({ claim_id: 'C' }, at('2026-03-10T00:00:00Z'));
    const before = decision({ authorization_number: 'A-1' }, at('2026-03-01T00:00:00Z'), 'denied');
    const then = decision({ authorization_number: 'A-1' }, at('2026-03-05T00:00:00Z'));
    const later = decision({ authorization_number: 'A-1' }, at('2026-03-20T00:00:00Z'), 'cancelled');
    expect(authorizationMismatch(paid, [billed], [before, then, later])).toBeNull();
    expect(authorizationMismatch(paid, [billed], [later, before])?.difference).toBe('PAID_NOT_APPROVED');
  });
});

it('names the exceptions of an event by kind, always the same', () => {
  const id = 'evt_01JQ0000000000000000000001';
  expect(exceptionIdOf('UNMATCHED_REMITTANCE', id)).toMatch(/^exc_01JQ000000[0-9A-HJKMNP-TV-Z]{16}$/);
  expect(exceptionIdOf('UNMATCHED_REMITTANCE', id)).toBe(exceptionIdOf('UNMATCHED_REMITTANCE', id));
  expect(exceptionIdOf('AUTHORIZATION_MISMATCH', id)).not.toBe(exceptionIdOf('UNMATCHED_REMITTANCE', id));
});
