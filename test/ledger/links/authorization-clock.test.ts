import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import {
  authorizationClock,
  clockVerdict,
  decisionOf,
  hoursSince,
} from '../../../subgraphs/ledger/links/domain/authorization-clock.js';
import type { AuthorizationClock } from '../../../subgraphs/ledger/links/domain/linked-event.js';

const asked = (requestedAt: string, payload: JsonObject = {}, eventType = 'authorization_requested') =>
  authorizationClock({ eventType, requestedAt: new Date(requestedAt), payload });
const clockOf = (requestedAt: string, payload: JsonObject = {}): AuthorizationClock => {
  const clock = asked(requestedAt, payload);
  if (clock === null) throw new Error('there is no clock');
  return clock;
};
const answer = (
  at: string,
  outcome: string | null,
  event_type = 'authorization_decided',
): Parameters<typeof decisionOf>[1][number] => ({
  event_id: `evt_${at}_${outcome}`,
  event_type,
  outcome,
  at: new Date(at),
});

describe('the time to decide a prior authorization', () => {
  it.each<[string, JsonObject, string | null, string]>([
    ['2026-01-01T00:00:00Z', { program: 'Medicare' }, '2026-01-08T00:00:00.000Z', 'STANDARD'],
    ['2025-12-31T23:59:59Z', { program: 'Medicare' }, '2026-01-14T23:59:59.000Z', 'STANDARD'],
    ['2026-03-02T10:00:00Z', { program: 'Medicare', urgency: 'U' }, '2026-03-05T10:00:00.000Z', 'EXPEDITED'],
    ['2026-03-02T10:00:00Z', { program: 'Medicare', urgency: '03' }, '2026-03-05T10:00:00.000Z', 'EXPEDITED'],
    ['2026-03-02T10:00:00Z', { program: 'Medicare', urgency: 'E' }, '2026-03-09T10:00:00.000Z', 'STANDARD'],
    ['2026-03-02T10:00:00Z', { program: 'Medicaid', priority: 'stat' }, '2026-03-05T10:00:00.000Z', 'EXPEDITED'],
    ['2025-06-01T00:00:00Z', { program: 'Medicaid' }, '2025-06-15T00:00:00.000Z', 'STANDARD'],
    ['2026-03-02T10:00:00Z', { program: 'CHIP' }, '2026-03-09T10:00:00.000Z', 'STANDARD'],
    ['2026-03-02T10:00:00Z', { program: 'Commercial' }, '2026-03-17T10:00:00.000Z', 'STANDARD'],
    ['2026-03-02T10:00:00Z', {}, '2026-03-09T10:00:00.000Z', 'STANDARD'],
  ])('of a request of %s with %j is until %s, %s', (requestedAt, payload, due, pace) => {
    expect(asked(requestedAt, payload)).toMatchObject({ due_at: new Date(String(due)), pace });
  });

  it('is not set where no rule sets one', () => {
    for (const program of ['TRICARE', 'VA', 'WorkersComp', 'Other']) {
      expect(asked('2026-03-02T10:00:00Z', { program })).toBeNull();
    }
  });

  it('is not set for drugs only, and is set for drugs with other services', () => {
    const at = '2026-03-02T10:00:00Z';
    expect(asked(at, { procedure_codes: ['J0135', '00074379902'] })).toBeNull();
    expect(asked(at, { procedure_codes: ['Q5103', '0777-3105-02'] })).toBeNull();
    expect(asked(at, { procedure_codes: ['Q5001'] })).not.toBeNull();
    expect(asked(at, { service_type: '88' })).toBeNull();
    expect(asked(at, { claim_kind: 'pharmacy' })).toBeNull();
    expect(asked(at, { procedure_codes: ['J0135', '96413'] })).not.toBeNull();
    expect(asked(at, { procedure_codes: [] })).not.toBeNull();
  });

  it('applies only to requests for a decision', () => {
    const at = '2026-03-02T10:00:00Z';
    for (const type of ['renewal', 'revision', 'extension']) {
      expect(asked(at, {}, `authorization_${type}`)).not.toBeNull();
    }
    for (const type of ['cancellation', 'appeal', 'inquired', 'notified']) {
      expect(asked(at, {}, `authorization_${type}`)).toBeNull();
    }
  });

  it('names its rule, and an unknown program', () => {
    expect(asked('2026-03-02T10:00:00Z')).toMatchObject({ program: null, limit_hours: 168 });
    expect(asked('2026-03-02T10:00:00Z')?.rule).toContain('422.568');
    expect(asked('2026-03-02T10:00:00Z', { program: 'Medicaid' })?.rule).toContain('438.210');
  });
});

describe('an answer', () => {
  const clock = clockOf('2026-03-02T10:00:00Z');
  const dueMs = clock.due_at.getTime();

  it('is in time until the due time itself, and late a millisecond after', () => {
    expect(clockVerdict(clock, dueMs, dueMs + 9e9)).toBe('IN_TIME');
    expect(clockVerdict(clock, dueMs + 1, dueMs + 2)).toBe('LATE');
    expect(clockVerdict(clock, null, dueMs)).toBe('WAITING');
    expect(clockVerdict(clock, null, dueMs + 1)).toBe('OVERDUE');
  });

  it('is the first decision: pended and error continue the wait', () => {
    const answers = [
      answer('2026-03-08T00:00:00Z', 'denied'),
      answer('2026-03-03T00:00:00Z', 'pended'),
      answer('2026-03-04T00:00:00Z', 'error'),
      answer('2026-03-05T00:00:00Z', 'partially_approved'),
      answer('2026-03-04T00:00:00Z', null),
    ];
    expect(decisionOf(clock, answers)?.at).toEqual(new Date('2026-03-05T00:00:00Z'));
    expect(decisionOf(clock, answers.slice(1, 3))).toBeUndefined();
  });

  it('may be a withdrawal, but not an earlier decision', () => {
    const earlier = answer('2026-03-01T23:59:59Z', 'approved');
    expect(decisionOf(clock, [earlier])).toBeUndefined();
    // Dated without a time: midnight of the day of the request.
    expect(decisionOf(clock, [answer('2026-03-02T00:00:00Z', 'approved')])).toBeDefined();
    const withdrawn = answer('2026-03-03T00:00:00Z', 'submitted', 'authorization_cancellation');
    expect(decisionOf(clock, [withdrawn])).toBe(withdrawn);
  });

  it('reports the hours taken', () => {
    expect(hoursSince(clock, Date.parse('2026-03-05T10:15:00Z'))).toBe(72.3);
    expect(hoursSince(clock, Date.parse('2026-03-02T00:00:00Z'))).toBe(0);
  });
});
