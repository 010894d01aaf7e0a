import { describe, expect, it } from '@jest/globals';
import {
  isPart2,
  type SensitiveView,
  viewOfDisposed,
  viewOfDocument,
  viewOfEvent,
} from '../../../shared/consent/sensitivity.js';
import { type ConsentTerm, verdictOf } from '../../../shared/consent/verdict.js';
import { reasonsToWithhold, withheldOf } from '../../../shared/consent/withheld.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { appliesTo, purposeOf } from '../../../subgraphs/members-graph/consent/domain.js';

type ConsentReach = Parameters<typeof appliesTo>[0];

const FLAGGED = new Set(['sud-clinic']);
const event = (payload: object, over: object = {}): SensitiveView =>
  viewOfEvent({ member_id: 'M-1', event_family: 'CLAIM', source_system: 'um-core', payload, ...over });

const ofProgram = (codes: readonly string[]): SensitiveView =>
  event({ diagnosis_codes: codes }, { source_system: 'sud-clinic' });

describe('42 CFR Part 2 data', () => {
  it.each<[string, SensitiveView, boolean]>([
    ['a label in a list', event({ sensitivity: ['HIV', '42CFR2'] }), true],
    ['a label alone', event({ sensitivity: '42CFR2' }), true],
    ["HL7's word for it", event({ sensitivity: ['42CFRPart2'] }), true],
    ['the words of the rule', event({ sensitivity: ['42 cfr part 2'] }), true],
    ['another label', event({ sensitivity: ['HIV'] }), false],
    ['a number in place of a label', event({ sensitivity: 42 }), false],
    ['no payload', event({}), false],
    ['F10 from a system that is not flagged', event({ diagnosis_codes: ['F10.20'] }), false],
    ['F10.20 from a flagged system', event({ diagnosis_codes: ['F10.20'] }, { source_system: 'sud-clinic' }), true],
    ['F1920 without its dot', event({ diagnosis_codes: ['f1920'] }, { source_system: 'sud-clinic' }), true],
    ['F20 from a flagged system', event({ diagnosis_codes: ['F20.0'] }, { source_system: 'sud-clinic' }), false],
    ['a diagnosis in SNOMED CT alone', ofProgram(['161891005']), true],
    ['substance use in SNOMED CT with ICD-10-CM', ofProgram(['I10', '75544000']), true],
    ['another diagnosis in SNOMED CT with its code of ICD-10-CM', ofProgram(['I10', '38341003']), false],
    ['SNOMED CT from a system that is not flagged', event({ diagnosis_codes: ['75544000'] }), false],
    ['ICD-9-CM of substance use', ofProgram(['304.00']), true],
    ['another ICD-9-CM', ofProgram(['401.9']), false],
    ['F1 alone', event({ diagnosis_codes: ['F1'] }, { source_system: 'sud-clinic' }), false],
    ['a document with the tag', viewOfDocument({ member_ids: [], source_system: null, tags: ['42CFR2'] }), true],
    [
      'any document of a flagged system',
      viewOfDocument({ member_ids: [], source_system: 'sud-clinic', tags: [] }),
      true,
    ],
    ['what is disposed of, of a flagged system', viewOfDisposed([], 'sud-clinic'), true],
    ['a document of another system', viewOfDocument({ member_ids: [], source_system: 'um', tags: [] }), false],
  ])('%s: %j is %s', (_what, view, expected) => {
    expect(isPart2(view, FLAGGED)).toBe(expected);
  });
});

const term = (over: Partial<ConsentTerm>): ConsentTerm => ({
  consent_id: 'cns_1',
  member_ids: ['M-1'],
  decision: 'PERMIT',
  categories: [],
  ...over,
});
const PLAIN = event({});
const SECRET = event({ sensitivity: ['42CFR2'] });
const GONE = viewOfDisposed(['M-1'], 'um-core');
const deny = (...categories: string[]) => term({ decision: 'DENY', categories });
const permit = (...categories: string[]) => term({ categories });

describe('several consents together', () => {
  it.each<[string, ConsentTerm[], SensitiveView, string | null]>([
    ['nobody has spoken', [], PLAIN, null],
    ['nobody has spoken of Part 2 data', [], SECRET, '42CFR2'],
    ['a denial of everything', [deny()], PLAIN, 'CONSENT_DENIED'],
    ['a denial beside a permission', [permit(), deny()], PLAIN, 'CONSENT_DENIED'],
    ['a denial of claims', [deny('claim')], PLAIN, 'CONSENT_DENIED'],
    ['a denial of something else', [deny('lab')], PLAIN, null],
    ['a permission of everything, which does not reach Part 2 data', [permit()], SECRET, '42CFR2'],
    ['a permission that names them', [permit('42CFR2')], SECRET, null],
    ['a permission that names them in its own writing', [permit('42cfr2')], SECRET, null],
    ['a denial that names them beside a permission', [permit('42CFR2'), deny('42CFR2')], SECRET, 'CONSENT_DENIED'],
    ['a denial of claims, to a claim under Part 2', [permit('42CFR2'), deny('CLAIM')], SECRET, 'CONSENT_DENIED'],
    ['a denial of a label', [deny('HIV')], event({ sensitivity: ['hiv'] }), 'CONSENT_DENIED'],
    ["somebody else's denial", [term({ member_ids: ['M-2'], decision: 'DENY' })], PLAIN, null],
    ['a denial of claims, to what may have been one', [deny('claim')], GONE, 'CONSENT_DENIED'],
    ['a permission, to what is disposed of', [permit()], GONE, null],
    [
      'a denial under a merged identifier',
      [term({ member_ids: ['M-2', 'M-1'], decision: 'DENY' })],
      PLAIN,
      'CONSENT_DENIED',
    ],
  ])('%s', (_what, terms, record, reason) => {
    const verdict = verdictOf({ member_ids: ['M-1', 'M-2'], terms, part2_source_systems: [] });
    expect(verdict.withholds(record)).toBe(reason);
  });

  it('permit a record of several members if each member permits it', () => {
    const both = { ...SECRET, member_ids: ['M-1', 'M-2'] };
    const verdict = (terms: ConsentTerm[]) =>
      verdictOf({ member_ids: ['M-1', 'M-2'], terms, part2_source_systems: [] }).withholds(both);
    expect(verdict([permit('42CFR2')])).toBe('42CFR2');
    expect(verdict([permit('42CFR2'), term({ member_ids: ['M-2'], categories: ['42CFR2'] })])).toBeNull();
  });

  it('withhold a protected record without members', () => {
    const verdict = verdictOf({ member_ids: [], terms: [permit('42CFR2')], part2_source_systems: [] });
    expect(verdict.withholds({ ...SECRET, member_ids: [] })).toBe('42CFR2');
  });

  it('throw for a member outside the question', () => {
    const verdict = verdictOf({ member_ids: [], terms: [], part2_source_systems: [] });
    expect(() => verdict.withholds(PLAIN)).toThrow(RangeError);
  });
});

const reach = (over: Partial<ConsentReach> = {}): ConsentReach => ({
  status: 'ACTIVE',
  decision: 'PERMIT',
  purpose: 'TREATMENT',
  actors: [],
  period: { start: null, end: null },
  ...over,
});
const at = (text: string): Date => new Date(text);
const asked = { purpose: 'TREATMENT', actor: 'key_1', atMs: at('2026-03-02T00:00:00Z').getTime() };

describe('appliesTo', () => {
  it.each<[string, ConsentReach, boolean]>([
    ['its purpose', reach(), true],
    ['any purpose', reach({ purpose: '*' }), true],
    ['another purpose', reach({ purpose: 'RESEARCH' }), false],
    ['revoked', reach({ status: 'REVOKED' }), false],
    ['begins this moment', reach({ period: { start: at('2026-03-02T00:00:00Z'), end: null } }), true],
    ['begins later', reach({ period: { start: at('2026-03-02T00:00:00.001Z'), end: null } }), false],
    ['ends this moment', reach({ period: { start: null, end: at('2026-03-02T00:00:00Z') } }), false],
    ['ends later', reach({ period: { start: null, end: at('2026-03-02T00:00:00.001Z') } }), true],
    ['names who asks', reach({ actors: ['key_1'] }), true],
    ['names somebody else', reach({ actors: ['key_2'] }), false],
    ['denies somebody else', reach({ actors: ['key_2'], decision: 'DENY' }), false],
  ])('%s', (_what, consent, expected) => {
    expect(appliesTo(consent, asked)).toBe(expected);
  });

  it('ignores a PERMIT with actors and applies a DENY with actors for an unknown actor', () => {
    const nobody = { ...asked, actor: null };
    expect(appliesTo(reach({ actors: ['key_1'] }), nobody)).toBe(false);
    expect(appliesTo(reach({ actors: ['key_1'], decision: 'DENY' }), nobody)).toBe(true);
  });

  it('compares purposes case-insensitively', () => {
    expect(appliesTo(reach(), { ...asked, purpose: 'treatment' })).toBe(true);
    expect(purposeOf('care_Coordination')).toBe('CARE_COORDINATION');
  });
});

it('withheldOf prefers CONSENT_DENIED, and returns null without reasons', () => {
  expect(withheldOf([null, null])).toBeNull();
  expect(withheldOf([null, '42CFR2', '42CFR2'])).toEqual({ count: 2, reason: '42CFR2' });
  expect(withheldOf(['42CFR2', 'CONSENT_DENIED'])).toEqual({ count: 2, reason: 'CONSENT_DENIED' });
});

it('consent questions cover 1,000 members each and keep the order of records', async () => {
  const asked: number[] = [];
  const denied = new Set(['M-0', 'M-2400']);
  const gate: ConsentGate = {
    decide: async (_, { member_ids }) => {
      asked.push(new Set(member_ids).size);
      const terms = member_ids.filter((id) => denied.has(id)).map((id) => ({ ...deny(), member_ids: [id] }));
      return verdictOf({ member_ids, terms, part2_source_systems: [] });
    },
  };
  const names = Array.from({ length: 2_500 }, (_, n) => `M-${n}`);
  const views = [
    ...names.slice(0, 1_500).map((id) => ({ ...PLAIN, member_ids: [id] })),
    { ...PLAIN, member_ids: [] },
    { ...PLAIN, member_ids: names.slice(1) },
    { ...PLAIN, member_ids: names.slice(1, 2_400) },
  ];
  const stated = { purpose: 'TREATMENT', actor: null };
  const reasons = await reasonsToWithhold(gate, 't' as TenantId, stated, views);
  expect(reasons.flatMap((reason, n) => (reason === null ? [] : [n]))).toEqual([0, 1_501]);
  expect(reasons).toHaveLength(views.length);
  expect(Math.max(...asked)).toBeLessThanOrEqual(1_000);
  expect(await reasonsToWithhold(gate, 't' as TenantId, stated, [])).toEqual([]);
});
