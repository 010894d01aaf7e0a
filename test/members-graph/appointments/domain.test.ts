import { describe, expect, it } from '@jest/globals';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import {
  APPOINTMENT_MACHINE,
  APPOINTMENT_STATUSES,
  OUTCOME_ACTIONS,
  PLANNING_ACTIONS,
  slotClaims,
} from '../../../subgraphs/members-graph/appointments/domain.js';
import { NO_PLAN, placed, planned } from '../../../subgraphs/members-graph/appointments/plan.js';
import {
  CARE_TEAM_MACHINE,
  CARE_TEAM_STATUSES,
  CARE_TEAM_STEPS,
  carerKey,
  endedAt,
} from '../../../subgraphs/members-graph/care-team/domain.js';
import { overlaps } from '../../../subgraphs/members-graph/records/domain.js';
import { seeded } from '../../support/random.js';
import { actionsOf, statesOf } from '../../support/state-machine.js';

const DOCTOR = { npi: '1234567893', actor: null, name: null };
const minute = (n: number): Date => new Date(n * 60_000);

describe('the state tables', () => {
  it('contain the statuses of FHIR and the steps of the routes', () => {
    expect([...statesOf(APPOINTMENT_MACHINE)].sort()).toEqual([...APPOINTMENT_STATUSES].sort());
    expect([...actionsOf(APPOINTMENT_MACHINE)].sort()).toEqual([...PLANNING_ACTIONS, ...OUTCOME_ACTIONS].sort());
    expect([...statesOf(CARE_TEAM_MACHINE)].sort()).toEqual([...CARE_TEAM_STATUSES].sort());
    expect([...actionsOf(CARE_TEAM_MACHINE)].sort()).toEqual([...CARE_TEAM_STEPS].sort());
  });

  it('end in entered-in-error', () => {
    expect(allowedActions(APPOINTMENT_MACHINE, 'entered-in-error')).toEqual([]);
    expect(allowedActions(CARE_TEAM_MACHINE, 'entered-in-error')).toEqual([]);
  });
});

describe("a practitioner's minutes", () => {
  it('are shared exactly if two appointments overlap', () => {
    const random = seeded(7);
    const below = (n: number): number => Math.floor(random() * n);
    for (let round = 0; round < 2_000; round++) {
      const [a, b] = [0, 1].map(() => {
        const start = below(60);
        return { start, end: start + 1 + below(30) };
      }) as [{ start: number; end: number }, { start: number; end: number }];
      const of = ({ start, end }: typeof a) => new Set(slotClaims(DOCTOR, minute(start), minute(end)));
      const other = of(b);
      expect([...of(a)].some((claim) => other.has(claim))).toBe(a.start < b.end && b.start < a.end);
    }
  });

  it('exist for NPI and actor, but not for a name alone', () => {
    const both = { npi: '1234567893', actor: 'act_1', name: 'A' };
    expect(slotClaims(both, minute(5), minute(7))).toEqual([
      'npi:1234567893@5',
      'npi:1234567893@6',
      'actor:act_1@5',
      'actor:act_1@6',
    ]);
    expect(slotClaims({ npi: null, actor: null, name: 'A' }, minute(5), minute(7))).toEqual([]);
  });

  it('are reserved by booked appointments only', () => {
    const plan = { ...NO_PLAN, start: minute(0), end: minute(2), practitioner: DOCTOR };
    expect(placed('booked', plan, minute(9))).toMatchObject({ takes_place: minute(0), is_claiming: true });
    for (const status of ['proposed', 'pending', 'waitlist', 'cancelled', 'noshow', 'entered-in-error'] as const) {
      expect(placed(status, plan, minute(9))).toMatchObject({ claims: [], is_claiming: false });
    }
    expect(placed('proposed', NO_PLAN, minute(9)).takes_place).toEqual(minute(9));
  });
});

it.each([
  ['an end before the start', { start: '2026-04-01T15:00:00Z', end: '2026-04-01T14:00:00Z' }],
  ['an end at the start', { start: '2026-04-01T15:00:00Z', end: '2026-04-01T15:00:00Z' }],
  ['a start alone', { start: '2026-04-01T15:00:00Z' }],
  ['more than a day', { start: '2026-04-01T15:00:00Z', end: '2026-04-02T15:00:01Z' }],
  ['a zone that is none', { timezone: 'Mars/Olympus' }],
  ['a practitioner who is nobody', { practitioner: {} }],
])('planned() rejects %s', (_what, given) => {
  expect(() => planned(NO_PLAN, given)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
});

describe('a care team', () => {
  const span = (start: number | null, end: number | null) => ({
    start: start === null ? null : minute(start),
    end: end === null ? null : minute(end),
  });

  it.each([
    [span(null, null), span(5, 6), true],
    [span(1, 5), span(5, 6), false],
    [span(1, 6), span(5, null), true],
    [span(6, null), span(null, 6), false],
  ])('overlaps(%o, %o) returns %s', (a, b, expected) => {
    expect([overlaps(a, b), overlaps(b, a)]).toEqual([expected, expected]);
  });

  it('ends a period now, unless it is over or has not begun', () => {
    expect(endedAt(span(1, null), minute(3))).toEqual(span(1, 3));
    expect(endedAt(span(1, 2), minute(3))).toEqual(span(1, 2));
    expect(endedAt(span(4, null), minute(3))).toEqual(span(4, null));
  });

  it('identifies a carer by the best given identifier', () => {
    const none = { npi: null, actor: null, name: null, organization: null };
    expect(carerKey({ ...none, npi: '1', name: 'A' })).toBe('npi:1');
    expect(carerKey({ ...none, name: ' Dr.  A ' })).toBe(carerKey({ ...none, name: 'dr. a', organization: 'O' }));
    expect(carerKey(none)).toBeNull();
  });
});
