import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repositoryFile } from '../../../app/repository.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { parseRule, type Rule } from '../../../shared/json-logic/json-logic.js';
import { evaluate } from '../../../subgraphs/advocacy/criteria/domain/evaluate.js';
import { factsUsedBy, readCriteria } from '../../../subgraphs/advocacy/criteria/domain/read-criteria.js';
import { factNamed } from '../../../subgraphs/advocacy/facts/domain/names.js';
import { type Facts, type FactValue, UNKNOWN } from '../../../subgraphs/advocacy/facts/domain/value.js';
import { isOfProgram } from '../../../subgraphs/advocacy/guideline/domain/applicability.js';
import { overallVerdict, verdictOf } from '../../../subgraphs/advocacy/guideline/domain/verdict.js';
import { CRITERIA, factsOf, judged, STARTER, type Written, type WrittenCase } from '../record-kit.js';

const cases = JSON.parse(
  readFileSync(repositoryFile('test/advocacy/guideline/guideline-cases.json'), 'utf8'),
) as Readonly<Record<string, Readonly<Record<string, WrittenCase>>>>;

describe('the guidelines of the shared corpus', () => {
  it('have criteria with known facts only, and a case for each verdict', () => {
    expect(Object.keys(CRITERIA).sort()).toEqual(STARTER.map(({ id }) => id).sort());
    expect(Object.keys(cases).sort()).toEqual(Object.keys(CRITERIA).sort());
    for (const [id, criteria] of Object.entries(CRITERIA)) {
      for (const { logic, when } of readCriteria(criteria, id)) {
        const names = [logic, when].flatMap((rule) => (rule ? factsUsedBy(rule) : []));
        expect(names.filter((name) => factNamed(name) === null)).toEqual([]);
      }
    }
  });

  describe.each(Object.entries(cases))('%s', (id, byVerdict) => {
    it.each(Object.entries(byVerdict))('%s', (verdict, written) => {
      const answer = judged(id, written);
      expect({ verdict: answer.verdict, criteria: answer.criteria }).toMatchObject({ verdict: verdict.toUpperCase() });
      const unknown = answer.criteria.filter(({ met }) => met === null);
      expect(unknown.every(({ settled_by }) => (settled_by?.text.length ?? 0) > 0)).toBe(true);
      const decided = answer.criteria.filter(({ met }) => met !== null);
      expect(decided.some(({ evidence }) => evidence.length > 0)).toBe(true);
    });
  });
});

const truth = fc.constantFrom(true, false, null);

it('a verdict depends only on the criteria', () => {
  const criterion = fc.record({ met: truth, alternative: fc.constantFrom('a', 'b', undefined) });
  fc.assert(
    fc.property(fc.array(criterion, { maxLength: 8 }), (criteria) => {
      const weighed = criteria.map(({ met, alternative }) => ({ met, ...(alternative && { alternative }) }));
      const named = (name: string) => weighed.filter(({ alternative }) => alternative === name).map(({ met }) => met);
      const ofGroup = (group: readonly (boolean | null)[]): readonly (boolean | null)[] => {
        if (group.length === 0) return [];
        if (group.includes(true)) return [true];
        return [group.includes(null) ? null : false];
      };
      const alone = weighed.filter(({ alternative }) => alternative === undefined).map(({ met }) => met);
      const each = [...alone, ...ofGroup(named('a')), ...ofGroup(named('b'))];
      const expected = each.includes(false)
        ? 'DOES_NOT_SUPPORT'
        : each.length === 0 || each.includes(null)
          ? 'INSUFFICIENT_INFORMATION'
          : 'SUPPORTS';
      expect(verdictOf(weighed)).toBe(expected);
      expect(verdictOf([...weighed].reverse())).toBe(expected);
    }),
    { seed: 11, numRuns: 300 },
  );
});

it('one supporting guideline is enough; none gives NO_GUIDELINE', () => {
  expect(overallVerdict([])).toBe('NO_GUIDELINE');
  expect(overallVerdict(['DOES_NOT_SUPPORT', 'SUPPORTS'])).toBe('SUPPORTS');
  expect(overallVerdict(['DOES_NOT_SUPPORT', 'INSUFFICIENT_INFORMATION'])).toBe('INSUFFICIENT_INFORMATION');
  expect(overallVerdict(['DOES_NOT_SUPPORT', 'DOES_NOT_SUPPORT'])).toBe('DOES_NOT_SUPPORT');
});

/** Verdicts are monotonic: filling in an unknown never changes a verdict that was reached without it. */
it('a decision on an incomplete record holds for every completion of the record', () => {
  const names = ['findings.a', 'findings.b', 'findings.c'];
  const leaf = fc.constantFrom(...names).map((name): JsonValue => ({ '==': [{ var: name }, true] }));
  const { rule } = fc.letrec<{ rule: JsonValue }>((tie) => ({
    rule: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('rule'), { minLength: 1, maxLength: 3 }).map((rules): JsonValue => ({ and: rules })),
      fc.array(tie('rule'), { minLength: 1, maxLength: 3 }).map((rules): JsonValue => ({ or: rules })),
      tie('rule').map((one): JsonValue => ({ '!': one })),
    ),
  }));
  const facts = (values: readonly (boolean | null)[]): Facts => ({
    get: (name): FactValue => {
      const value = values[names.indexOf(name)] ?? null;
      return value === null ? UNKNOWN : { kind: 'boolean', value, evidence: [] };
    },
  });
  const bounded = (json: JsonValue): Rule => parseRule(json);
  fc.assert(
    fc.property(
      rule,
      fc.tuple(truth, truth, truth),
      fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
      (json, known, all) => {
        const parsed = bounded(json);
        const silent = evaluate(parsed, facts(known)).met;
        const told = evaluate(parsed, facts(known.map((value, i) => value ?? all[i] ?? false))).met;
        expect(told).not.toBeNull();
        if (silent !== null) expect(told).toBe(silent);
      },
    ),
    { seed: 11, numRuns: 300 },
  );
});

describe('the record', () => {
  const met = (json: JsonValue, payload: WrittenCase['payload'], ...record: readonly Written[]) =>
    evaluate(parseRule(json), factsOf({ payload, record })).met;
  const has = (code: string, list: string): JsonValue => ({ in: [code, { var: list }] });

  it('is complete for the kinds of codes that the event states, and unknown for others', () => {
    expect(met(has('G47.33', 'diagnoses.stems'), { diagnosis_codes: ['G4733'] })).toBe(true);
    expect(met(has('G47.33', 'diagnoses.stems'), { diagnosis_codes: ['I10'] })).toBe(false);
    expect(met(has('G47.33', 'diagnoses.stems'), {})).toBeNull();
    expect(met(has('PI', 'procedures.modifiers'), { procedure_codes: ['A9552'] })).toBeNull();
    expect(met(has('edema', 'event.rationale'), { rationale: 'Nothing was sent' })).toBeNull();
    expect(met(has('edema', 'event.rationale'), { rationale: 'Dependent EDEMA' })).toBe(true);
  });

  it('proves no absence to a caller with hidden fields', () => {
    const record: Written = { payload: { diagnosis_codes: ['I10'] }, day: '2024-01-01' };
    const since: JsonValue = { '>=': [{ var: 'history.months_since.G0444' }, 3] };
    expect(met(since, { procedure_codes: ['G0444'] }, record)).toBe(true);
    expect(met(since, { procedure_codes: ['G0444'] }, { ...record, state: 'REDACTED' })).toBeNull();
  });

  it('counts an earlier service once a day, and none that did not take place', () => {
    const since = (months: number): JsonValue => ({ '>=': [{ var: 'history.months_since.G0444' }, months] });
    const paid = {
      payload: { procedure_codes: ['G0444'], claim_id: 'C-1' },
      day: '2024-02-20',
      family: 'remittance',
      outcome: 'paid',
    };
    const payload = { procedure_codes: ['G0444'] };
    expect(met(since(4), payload, paid)).toBe(true);
    expect(met(since(5), payload, paid)).toBe(false);
    expect(met(since(5), payload, { ...paid, outcome: 'denied' })).toBeNull();
    const count: JsonValue = { '<': [{ var: 'history.count_12_months.G0444' }, 2] };
    const old = { payload: {}, day: '2020-01-01' };
    expect(met(count, payload, paid, { ...paid, family: 'claim', outcome: 'submitted' }, old)).toBe(true);
    expect(met(count, payload, paid, { ...paid, day: '2024-03-20' }, old)).toBe(false);
    expect(met(count, payload, paid)).toBeNull();
  });

  it('uses findings up to a year before the service and at any time after', () => {
    const stated = (day: string): Written => ({ payload: { findings: { osa_symptoms: true } }, day });
    const asked: JsonValue = { '==': [{ var: 'findings.osa_symptoms' }, true] };
    expect(met(asked, {}, stated('2023-06-30'))).toBe(true);
    expect(met(asked, {}, stated('2024-09-01'))).toBe(true);
    expect(met(asked, {}, stated('2023-05-30'))).toBeNull();
  });

  it('excludes events with another birth date under the same identifier', () => {
    const mine = { patient: { birth_date: '1960-01-01' } };
    const theirs = {
      payload: { patient: { birth_date: '1990-01-01' }, diagnosis_codes: ['E11.9'] },
      day: '2024-01-01',
    };
    expect(met(has('E11.9', 'diagnoses.codes'), { ...mine }, theirs)).toBeNull();
    expect(met(has('E11.9', 'diagnoses.codes'), {}, theirs)).toBe(true);
  });

  it.each([
    ['1974-06-10', 50, true],
    ['1974-06-11', 50, false],
    ['1974-06', 50, null],
    ['1974', 49, true],
    ['1974', 50, null],
    ['1975', 50, false],
  ])('states the age on the day of service: born %s, at least %d', (birth_date, years, expected) => {
    expect(met({ '>=': [{ var: 'member.age_years' }, years] }, { patient: { birth_date } })).toBe(expected);
  });

  it('uses the latest measure in its unit that is not later than the event', () => {
    const result = (value: string, unit: string, day: string): Written => ({
      payload: { results: [{ code: '39156-5', value, unit }] },
      day,
      family: 'clinical',
      outcome: 'recorded',
    });
    const bmi: JsonValue = { '>=': [{ var: 'observations.bmi' }, 35] };
    expect(met(bmi, {}, result('36', 'kg/m2', '2024-01-01'), result('31', 'kg/m2', '2023-01-01'))).toBe(true);
    expect(met(bmi, {}, result('36', 'kg/m2', '2024-12-01'))).toBeNull();
    expect(met(bmi, {}, result('36', 'lb', '2024-01-01'))).toBeNull();
    expect(met(bmi, {}, result('3600', 'kg/m2', '2024-01-01'))).toBeNull();
    expect(met(bmi, { diagnosis_codes: ['Z68.35'] })).toBe(true);
    expect(met({ '>=': [{ var: 'observations.bmi' }, 35.5] }, { diagnosis_codes: ['Z68.35'] })).toBeNull();
  });
});

it.each([
  ['Medicare', 'MEDICARE_ADVANTAGE', true],
  ['Medicare', 'Commercial', false],
  ['Medicare', null, null],
  ['preventive services without cost share (ACA section 2713)', 'Commercial', true],
  ['preventive services without cost share (ACA section 2713)', 'Medicaid', null],
  ['preventive services without cost share (ACA section 2713)', 'Medicare', false],
])('decides whether cover belongs to %s by %s: %s', (guideline, stated, expected) => {
  expect(isOfProgram(guideline, stated)).toBe(expected);
});
