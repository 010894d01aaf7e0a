import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { eventOf, explained } from './explain-kit.js';

// Which records are a plan's answer, by the vocabulary of the adapters and the words of callers.

describe('decisionOf', () => {
  const kind = (event_family: string, event_type: string, outcome: string | null) => ({
    event_family,
    event_type,
    outcome,
  });
  const SCRIPT = { raw: { format: 'ncpdp' } };

  it.each<[string, string, string | null, JsonObject, string]>([
    ['clinical', 'order_placed', 'active', {}, 'not a plan'],
    ['clinical', 'order_placed', 'submitted', {}, 'not a plan'],
    ['encounter', 'encounter_recorded', 'active', {}, 'not a plan'],
    ['document', 'document_notified', 'pended', {}, 'not a plan'],
    ['clinical', 'observation_recorded', 'unknown', {}, 'not a plan'],
    ['claim', 'charge_posted', 'submitted', {}, 'not a plan'],
    ['pharmacy', 'rx_renewal_response', 'denied', SCRIPT, 'between your doctor and your drug store'],
    ['pharmacy', 'cancel_rx_response', 'denied', SCRIPT, 'between your doctor and your drug store'],
    ['pharmacy', 'rx_change_response', 'approved', SCRIPT, 'between your doctor and your drug store'],
    ['pharmacy', 'status', 'unknown', SCRIPT, 'between your doctor and your drug store'],
    ['pharmacy', 'error', 'error', SCRIPT, 'between your doctor and your drug store'],
    ['pharmacy', 'reversal_decided', 'approved', SCRIPT, 'took back its claim'],
    ['clinical', 'order_placed', 'cancelled', {}, 'canceled'],
  ])('does not take %s %s, %s, as a decision of the plan', (family, type, outcome, payload, said) => {
    const { summary, appeal_rights } = explained(eventOf(payload, kind(family, type, outcome)));
    expect(summary).toContain(said);
    expect([appeal_rights.applies, appeal_rights.steps]).toEqual([false, []]);
  });

  it.each([
    ['pharmacy', 'pa_response', 'denied', 'said no to this request'],
    ['pharmacy', 'claim_adjudicated', 'denied', 'said no to paying for this drug'],
    ['pharmacy', 'status', 'denied', 'said no to paying for this drug'],
    ['clinical', 'service_denied', 'denied', 'The plan said no.'],
    ['eligibility', 'eligibility_reported', 'active', 'you are covered'],
    ['eligibility', 'eligibility_reported', 'inactive', 'you are not covered'],
  ])('takes %s %s, %s, as a decision of the plan', (family, type, outcome, said) => {
    expect(explained(eventOf({}, kind(family, type, outcome))).summary).toContain(said);
  });

  it("quotes a prescriber's text without a question to the plan", () => {
    const payload = { ...SCRIPT, reason_codes: ['AT'], rationale: 'No longer under my care.' };
    const { reasons } = explained(eventOf(payload, kind('pharmacy', 'rx_renewal_response', 'denied')));
    expect(reasons.map(({ meaning }) => meaning)).toEqual([
      'We do not know this code.',
      'The record says: “No longer under my care.”',
    ]);
    const words = reasons.flatMap(({ why_it_happened, what_to_do }) => [why_it_happened, what_to_do]);
    expect(words.join(' ')).not.toContain('plan');
    expect(words.join(' ')).toContain('Ask your doctor or the drug store');
  });

  it('does not name the day of a status report as the day of a payment', () => {
    const report = { event_family: 'claim', event_type: 'claim_status_reported' };
    const { appeal_rights } = explained(eventOf({ program: 'Commercial' }, report));
    expect([appeal_rights.notice_date, appeal_rights.notice_date_basis]).toEqual(['2026-06-01', 'EVENT']);
  });
});
