import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventCodes } from '../../../subgraphs/advocacy/facts/domain/event-codes.js';
import { readFacts } from '../../../subgraphs/advocacy/facts/domain/read-facts.js';
import { evaluateGuideline } from '../../../subgraphs/advocacy/guideline/domain/evaluate-guideline.js';
import { diagnosisFindings } from '../../../subgraphs/advocacy/recode/domain/diagnosis-rules.js';
import { procedureFindings } from '../../../subgraphs/advocacy/recode/domain/procedure-rules.js';
import { editFindings, guidelineDiagnoses } from '../../../subgraphs/advocacy/recode/domain/rule-findings.js';
import { sideOf } from '../../../subgraphs/advocacy/recode/domain/side.js';
import {
  type CaseTable,
  mergeFindings,
  type RecodeCase,
  type TableCode,
} from '../../../subgraphs/advocacy/recode/domain/suggestion.js';
import { CRITERIA, guidelineOf, recordFrom, type WrittenCase } from '../record-kit.js';

// Words of the tables here are our own; the shapes are those of ICD-10-CM.
const KNEE: readonly TableCode[] = [
  { code: 'M25.56', description: 'Pain in knee', is_valid: false },
  { code: 'M25.561', description: 'Pain in right knee', is_valid: true },
  { code: 'M25.562', description: 'Pain in left knee', is_valid: true },
  { code: 'M25.569', description: 'Pain in unspecified knee', is_valid: true },
  { code: 'E11', description: 'Type 2 diabetes', is_valid: false },
  { code: 'E11.9', description: 'Type 2 diabetes without complications', is_valid: true },
  { code: 'E11.65', description: 'Type 2 diabetes with hyperglycemia', is_valid: true },
  { code: 'Z99.0', description: 'Of an earlier year', is_valid: false },
];

const tableOf = (codes: readonly TableCode[]): CaseTable => ({
  edition: 'test',
  entry: (code) => codes.find((one) => one.code === code) ?? null,
  under: (prefix) => codes.filter(({ code, is_valid }) => is_valid && code.startsWith(prefix)),
});

function caseOf(payload: WrittenCase['payload'], record: WrittenCase['record'] = [], tables = true): RecodeCase {
  const all = recordFrom({ payload, record });
  const facts = readFacts(all);
  const known = facts.get('diagnoses.codes');
  const { procedures } = eventCodes(all.event);
  const own = readFacts({ ...all, others: [] }).get('diagnoses.codes');
  return {
    event: all.event,
    facts,
    procedures,
    diagnoses: own.kind === 'codes' ? [...own.codes.keys()] : [],
    onRecord: known.kind === 'codes' ? known.codes : new Map(),
    side: sideOf(all.event),
    tables: { icd10cm: tables ? tableOf(KNEE) : null, hcpcs: null },
  };
}

const diagnoses = (...args: Parameters<typeof caseOf>) => mergeFindings(diagnosisFindings(caseOf(...args)));
const procedures = (...args: Parameters<typeof caseOf>) => mergeFindings(procedureFindings(caseOf(...args), []));

describe('diagnoses', () => {
  it('replace a heading by the code below it that the record has', () => {
    const earlier = { payload: { diagnosis_codes: ['E11.65'] }, day: '2024-01-01' };
    const { suggestions, needed } = diagnoses({ diagnosis_codes: ['E11'] }, [earlier]);
    expect(needed).toEqual([]);
    expect(suggestions).toMatchObject([
      {
        from: 'E11',
        to: 'E11.65',
        rule_id: 'icd10cm.more-characters',
        confidence: 0.9,
        supported_by: [{ field: '/payload/diagnosis_codes/0', value: 'E11.65' }],
      },
    ]);
  });

  it('report an undecided heading with the missing record and suggest no code', () => {
    const { suggestions, needed } = diagnoses({ diagnosis_codes: ['E11'] });
    expect(suggestions).toEqual([]);
    expect(needed).toMatchObject([{ code: 'E11', candidates: [{ code: 'E11.9' }, { code: 'E11.65' }] }]);
  });

  it.each([
    ['M25.56', 'MRI of the right knee', 'M25.561'],
    ['M25.569', 'MRI of the left knee', 'M25.562'],
  ])('use the side of the record for %s (%s)', (from, service, to) => {
    expect(diagnoses({ diagnosis_codes: [from], service }).suggestions).toMatchObject([
      { from, to, confidence: 0.7, supported_by: [{ field: '/payload/service' }] },
    ]);
  });

  it.each(['MRI of the knee', 'MRI of the right shoulder', 'MRI of right and left knee'])(
    'a side that is not said of the same part decides nothing (%s)',
    (service) => {
      const { suggestions, needed } = diagnoses({ diagnosis_codes: ['M25.569'], service });
      expect(suggestions).toEqual([]);
      expect(needed).toMatchObject([{ code: 'M25.569', rule_id: 'icd10cm.laterality' }]);
    },
  );

  it('report a deleted or unknown code, and nothing without a table', () => {
    const payload = { diagnosis_codes: ['Z99.0', 'Z77.99', 'E11.9'] };
    expect(diagnoses(payload).needed.map(({ code, problem }) => [code, problem])).toEqual([
      ['Z99.0', 'Z99.0 is not in force on the day of service (ICD-10-CM test).'],
      ['Z77.99', 'Z77.99 is not in ICD-10-CM test.'],
    ]);
    expect(diagnoses(payload, [], false)).toEqual({ suggestions: [], needed: [] });
  });
});

describe('modifiers', () => {
  const line = (procedure_code: string, ...modifiers: string[]) => ({ procedure_code, modifiers });

  it('add the side of the record that a denial requires', () => {
    const payload = { carc: ['4'], procedure_codes: ['73721'], service: 'MRI of the right knee' };
    expect(procedures(payload).suggestions).toMatchObject([
      { from: '73721', to: '73721-RT', rule_id: 'modifier.side' },
    ]);
    const silent = procedures({ ...payload, service: 'MRI of the knee' });
    expect(silent).toMatchObject({ suggestions: [], needed: [{ code: '73721', rule_id: 'modifier.side' }] });
    expect(procedures({ ...payload, carc: ['50'] })).toEqual({ suggestions: [], needed: [] });
  });

  it('need a statement of the record for a separate visit and a distinct service', () => {
    const payload = { carc: ['97'], lines: [line('99213'), line('20610')] };
    expect(procedures(payload)).toMatchObject({ suggestions: [], needed: [{ code: '99213', rule_id: 'modifier.25' }] });
    expect(procedures({ ...payload, findings: { separate_visit: true } }).suggestions).toMatchObject([
      { to: '99213-25', supported_by: [{ field: '/payload/findings/separate_visit' }] },
    ]);
    const pair = { carc: ['236'], lines: [line('20610', 'RT'), line('20611', 'LT')] };
    expect(procedures(pair).suggestions).toMatchObject([{ from: '20611', to: '20611-XS' }]);
    const same = { carc: ['236'], lines: [line('20610', 'RT'), line('20611', 'RT')] };
    expect(procedures(same)).toMatchObject({
      suggestions: [],
      needed: [{ code: '20611', rule_id: 'modifier.distinct' }],
    });
  });

  it('include KX only if every criterion of the guideline is met', () => {
    const payload = {
      program: 'Medicare',
      lines: [line('E0601')],
      diagnosis_codes: ['G47.33'],
      patient: { birth_date: '1960-01-01' },
      measures: { ahi_or_rdi: 20 },
      findings: { sleep_test_confirms_osa: true, cpap_within_trial: true, cpap_ordered_and_taught: true },
    };
    const asked = caseOf(payload);
    const met = evaluateGuideline(guidelineOf('NCD-240.4'), asked.facts);
    expect(mergeFindings(procedureFindings(asked, met ? [met] : [])).suggestions).toMatchObject([{ to: 'E0601-KX' }]);
    const open = caseOf({ ...payload, findings: {} });
    const unmet = evaluateGuideline(guidelineOf('NCD-240.4'), open.facts);
    expect(mergeFindings(procedureFindings(open, unmet ? [unmet] : []))).toMatchObject({
      suggestions: [],
      needed: [{ code: 'E0601', rule_id: 'modifier.kx' }],
    });
  });
});

it('a required diagnosis is added only if the record has it', () => {
  const rule = { rule_id: 'rul_x', key: 'NCD-240.4', title: 'CPAP', criteria: CRITERIA['NCD-240.4'] ?? null };
  const earlier = { payload: { diagnosis_codes: ['G47.33'] }, day: '2024-01-01' };
  const payload = { procedure_codes: ['E0601'], diagnosis_codes: ['R06.83'] };
  expect(guidelineDiagnoses(caseOf(payload, [earlier]), [rule]).suggestions).toMatchObject([
    { from: null, to: 'G47.33', rule_id: 'rul_x' },
  ]);
  expect(guidelineDiagnoses(caseOf(payload), [rule]).suggestions).toEqual([]);
});

it('an edit of the corpus suggests a supported code, else reports the edit', () => {
  const has = (code: string) => ({ in: [code, { var: 'procedures.codes' }] });
  const rule = {
    rule_id: 'rul_edit',
    key: 'PAIR-1',
    title: 'Pair',
    body: 'Show that they were distinct.',
    criteria: [
      {
        text: 'The two are edited as a pair.',
        logic: { and: [has('20610'), has('20611')] },
        suggest: { from: '20611', to: '20611-59' },
        supported_when: { '==': [{ var: 'findings.distinct_service' }, true] },
      },
    ],
  };
  const facts = (findings: Record<string, boolean>) => caseOf({ procedure_codes: ['20610', '20611'], findings }).facts;
  expect(editFindings([rule], facts({ distinct_service: true })).suggestions).toMatchObject([
    { from: '20611', to: '20611-59', rule_id: 'rul_edit', supported_by: [{ value: true }] },
  ]);
  expect(editFindings([rule], facts({}))).toMatchObject({
    suggestions: [],
    needed: [{ code: '20611', needs: 'Show that they were distinct.' }],
  });
  expect(editFindings([rule], caseOf({ procedure_codes: ['20610'] }).facts)).toEqual({ suggestions: [], needed: [] });
});

it('every suggestion has evidence on the record, for all codes', () => {
  const code = fc.constantFrom('E11', 'E11.9', 'M25.56', 'M25.569', 'Z99.0', 'A00');
  const service = fc.constantFrom('', 'right knee', 'left knee', 'knee');
  fc.assert(
    fc.property(fc.array(code, { maxLength: 4 }), fc.array(code, { maxLength: 3 }), service, (own, other, said) => {
      const asked = caseOf(
        { diagnosis_codes: own, service: said, carc: ['4', '97'], procedure_codes: ['73721', '99213'] },
        [{ payload: { diagnosis_codes: other }, day: '2024-01-01' }],
      );
      const { suggestions } = mergeFindings([...diagnosisFindings(asked), ...procedureFindings(asked, [])]);
      const ids = new Set(['evt_01JQ0000000000000000000001', 'evt_01JQ0000000000000000000002']);
      for (const { supported_by, to, from } of suggestions) {
        expect(supported_by.length).toBeGreaterThan(0);
        expect(supported_by.every(({ event_id }) => ids.has(event_id))).toBe(true);
        expect(to).not.toBe(from);
      }
    }),
    { seed: 11, numRuns: 150 },
  );
});
