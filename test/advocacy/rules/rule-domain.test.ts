import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { parseRule } from '../../../shared/json-logic/json-logic.js';
import { namesOfCode, readCode, writtenCode } from '../../../subgraphs/advocacy/codes/domain/named-code.js';
import { readOwnCodes, readSharedCorpus } from '../../../subgraphs/advocacy/rules/adapter.js';
import { knownCodesOver } from '../../../subgraphs/advocacy/rules/content.js';
import { appliesIn, periodsOf, revisionAt } from '../../../subgraphs/advocacy/rules/domain/in-force.js';
import { RULE_BOUNDS } from '../../../subgraphs/advocacy/rules/domain/kinds.js';
import { lintCriteria } from '../../../subgraphs/advocacy/rules/domain/lint-rule.js';
import { type GivenRule, readRule } from '../../../subgraphs/advocacy/rules/domain/read-rule.js';

const AGE = { '>=': [{ var: 'member.age_years' }, 18] };
const criterion = (logic: JsonValue): JsonValue => [{ id: 'c1', text: 'A criterion.', logic }];
const deep = (levels: number): JsonValue => {
  let logic: JsonValue = AGE;
  for (let i = 0; i < levels; i++) logic = { '!': logic };
  return logic;
};

describe('the linter of criteria', () => {
  const refused: readonly (readonly [what: string, criteria: JsonValue, path: string])[] = [
    ['a loop', criterion({ map: [{ var: 'diagnoses.codes' }, { var: '' }] }), '/0/logic/map'],
    ['a fold', criterion({ reduce: [[1, 2], { '+': [1, 1] }, 0] }), '/0/logic/reduce'],
    ['a regular expression', criterion({ match: [{ var: 'event.rationale' }, '(a+)+$'] }), '/0/logic/match'],
    ['a method call', criterion({ method: [{ var: 'event' }, 'constructor'] }), '/0/logic/method'],
    ['arithmetic', criterion({ '==': [{ '+': [1, 1] }, 2] }), '/0/logic/==/0'],
    ['an operator named like a member of every object', criterion({ constructor: [1] }), '/0/logic/constructor'],
    ['two operators in one object', criterion({ and: [true], or: [true] }), '/0/logic'],
    ['an expression deeper than the bound', criterion(deep(9)), `/0/logic${'/!'.repeat(8)}`],
    ['more parts than the bound', criterion({ or: Array.from({ length: 1_000 }, () => AGE) }), '/0/logic/or/66/>=/0'],
    ['a list longer than the bound', criterion({ in: ['a', Array.from({ length: 501 }, () => 'a')] }), '/0/logic/in/1'],
    ['a text longer than the bound', criterion({ '==': ['a'.repeat(1_001), 'a'] }), '/0/logic/==/0'],
    ['the prototype', criterion({ '==': [{ var: '__proto__.polluted' }, true] }), '/0/logic'],
    ['a constructor', criterion({ '==': [{ var: 'member.constructor' }, 1] }), '/0/logic'],
    ['a member that facts do not have', criterion({ '==': [{ var: 'member.shoe_size' }, 44] }), '/0/logic'],
    ['an unknown fact in `when`', [{ text: 'x', when: { '==': [{ var: 'nothing' }, 1] }, logic: AGE }], '/0/when'],
    ['what is no criterion', [AGE, 'c2'], '/1'],
    ['more criteria than the bound', Array.from({ length: 51 }, () => ({ text: 'x' })), ''],
  ];

  it.each(refused)('rejects %s with its position', (_what, criteria, path) => {
    expect(lintCriteria(criteria, 'title').map((fault) => fault.path)).toContain(path);
  });

  it('accepts one expression, a list, and a criterion without logic', () => {
    for (const criteria of [AGE, criterion(AGE), [{ text: 'Ask the doctor.' }], []] as JsonValue[]) {
      expect(lintCriteria(criteria, 'title')).toEqual([]);
    }
  });

  it('rejects an expression of a hundred thousand parts at once', () => {
    const wide = criterion({ or: Array.from({ length: 100_000 }, () => AGE) });
    const began = process.cpuUsage();
    expect(lintCriteria(wide, 'title')).toHaveLength(1);
    // A bound on the work, not on the clock: reading all of it would cost hundreds of times as much as 200 parts.
    expect(process.cpuUsage(began).user).toBeLessThan(5_000_000);
    expect(() => parseRule({ or: [] })).toThrow();
  });
});

describe('codes of rules', () => {
  it.each([
    ['hcpcs/e0601', 'HCPCS/E0601'],
    ['ICD-10-CM/g4733', 'ICD10CM/G47.33'],
    ['ICD10CM/S82.*', 'ICD10CM/S82*'],
    ['icd10/S821*', 'ICD10CM/S82.1*'],
    ['carc/50', 'CARC/50'],
    ['NCPDP-REJECT/7x', 'NCPDP/7X'],
  ])('%s is written %s', (given, written) => {
    const code = readCode(given);
    expect(code === null ? null : writtenCode(code)).toBe(written);
  });

  it.each(['CARC', 'CARC/', '/50', 'CARC/5 0', 'NOBODY/1', 'CARC/*', `CARC/${'1'.repeat(33)}`, 'CARC/$where'])(
    '%s is none',
    (text) => expect(readCode(text)).toBeNull(),
  );

  it('have the names of the code and of every family', () => {
    expect(namesOfCode('ICD10CM/G47.33')).toEqual([
      'ICD10CM/G47.33',
      ...['G', 'G4', 'G47', 'G47.3', 'G47.33'].map((family) => `ICD10CM/${family}*`),
    ]);
    expect(namesOfCode('OTHER/1')).toEqual([]);
  });

  it('are known if a table has them; a system without a table accepts all', async () => {
    const imported = { HCPCS: ['E0601'], CARC: ['999'] } as Record<string, string[]>;
    const tables = {
      has: async (system: string) => system in imported,
      find: async () => null,
      entries: async (system: string, codes: readonly string[]) =>
        new Map(codes.flatMap((code) => (imported[system]?.includes(code) ? [[code, {} as never]] : []))),
      alternatives: async (system: string, prefix: string) =>
        (imported[system] ?? []).filter((code) => code.startsWith(prefix)).map((code) => ({ code }) as never),
      editions: async () => [],
    };
    const known = knownCodesOver(readOwnCodes(), tables);
    const given = [
      'CARC/50',
      'CARC/999',
      'CARC/9999',
      'HCPCS/E0601',
      'HCPCS/E0602',
      'HCPCS/E06*',
      'HCPCS/Z*',
      'REVENUE/1',
    ];
    const codes = given.flatMap((text) => readCode(text) ?? []);
    const isKnown = await known.among(codes);
    expect(codes.filter((code) => !isKnown(code)).map(writtenCode)).toEqual(['CARC/9999', 'HCPCS/E0602', 'HCPCS/Z*']);
  });
});

describe('periods of revisions', () => {
  const day = (text: string): Date => new Date(`${text}T00:00:00.000Z`);
  const revisions = (...spans: readonly (readonly [from: string, to: string | null])[]) =>
    spans.map(([from, to], i) => ({
      revision: i + 1,
      effective_from: day(from),
      effective_to: to === null ? null : day(to),
    }));
  const table: readonly (readonly [
    string,
    ReturnType<typeof revisions>,
    Readonly<Record<string, number | null>> | null,
  ])[] = [
    ['one without an end', revisions(['2020-01-01', null]), { '2019-12-31': null, '2020-01-01': 1, '2099-01-01': 1 }],
    [
      'a follower ends what has no end',
      revisions(['2020-01-01', null], ['2024-01-01', null]),
      { '2023-12-31': 1, '2024-01-01': 2 },
    ],
    [
      'an earlier one may come later',
      revisions(['2024-01-01', null], ['2020-01-01', null]),
      { '2023-01-01': 2, '2024-01-01': 1 },
    ],
    [
      'the same beginning corrects',
      revisions(['2020-01-01', '2021-01-01'], ['2020-01-01', null]),
      { '2020-06-01': 2, '2022-01-01': 2 },
    ],
    [
      'a gap is a gap',
      revisions(['2020-01-01', '2021-01-01'], ['2022-01-01', null]),
      { '2020-12-31': 1, '2021-01-01': null, '2022-01-01': 2 },
    ],
    [
      'what ended does not come back',
      revisions(['2020-01-01', null], ['2021-01-01', '2022-01-01']),
      { '2023-01-01': null },
    ],
    ['one that begins within another is refused', revisions(['2020-01-01', '2022-01-01'], ['2021-01-01', null]), null],
    ['one that reaches into another is refused', revisions(['2021-01-01', null], ['2020-01-01', '2021-06-01']), null],
    [
      'a correction that would reach into another is refused',
      revisions(['2020-01-01', null], ['2021-01-01', null], ['2020-01-01', '2022-01-01']),
      null,
    ],
  ];

  it.each(table)('%s', (_promise, given, expected) => {
    const periods = periodsOf(given);
    if (expected === null) expect(periods).toBeNull();
    else
      for (const [at, revision] of Object.entries(expected)) expect(revisionAt(periods ?? [], day(at))).toBe(revision);
  });

  it('never overlap, for all inputs', () => {
    const spans = ['2020', '2021', '2022', '2023'].map((year) => `${year}-01-01`);
    for (const [a = '', b = ''] of spans.flatMap((from) => spans.map((to) => [from, to]))) {
      for (const to of [null, ...spans.filter((end) => end > b)]) {
        const periods = periodsOf(revisions([a, '2023-01-01'], [b, to])) ?? [];
        for (const at of spans) {
          const found = periods.filter(({ from, to: end }) => from <= day(at) && (end === null || day(at) < end));
          expect(found.length).toBeLessThan(2);
        }
      }
    }
  });
});

describe('where a rule applies', () => {
  it.each([
    ['Medicare', 'MEDICARE_ADVANTAGE', true],
    ['Medicare', 'Medicaid', false],
    ['Medicare', null, true],
    [null, 'Medicaid', true],
    ['preventive services without cost share (ACA section 2713)', 'Commercial', true],
  ])('decides for a rule of %s in %s: %s', (program, asked, expected) => {
    expect(appliesIn({ program, jurisdiction: null }, { program: asked, jurisdiction: null })).toBe(expected);
  });

  it('treats a state as part of its country, not the reverse', () => {
    const applies = (jurisdiction: string, asked: string): boolean =>
      appliesIn({ program: null, jurisdiction }, { program: null, jurisdiction: asked });
    expect([applies('US', 'US-CA'), applies('US-CA', 'US'), applies('US-CA', 'US-NY')]).toEqual([true, false, false]);
  });
});

describe('the shared corpus', () => {
  const corpus = readSharedCorpus();

  it('passes the linter and has unique keys', () => {
    const faults = corpus.flatMap((rule) => {
      const read = readRule(rule);
      return 'faults' in read ? read.faults.map((fault) => `${rule.key} ${fault.path} ${fault.message}`) : [];
    });
    expect(faults).toEqual([]);
    expect(new Set(corpus.map(({ key }) => key)).size).toBe(corpus.length);
  });

  it('has every guideline with its criteria, and every code of the tables', () => {
    const guidelines = corpus.filter(({ kind }) => kind === 'GUIDELINE');
    expect(guidelines).toHaveLength(21);
    for (const { codes, criteria } of guidelines) {
      expect(codes?.length).toBeGreaterThan(0);
      expect(criteria).not.toEqual([]);
    }
    const indexed = new Set(corpus.flatMap(({ codes = [] }) => codes));
    for (const [system, codes] of readOwnCodes())
      for (const code of codes) expect(indexed).toContain(`${system}/${code}`);
  });
});

describe('readRule', () => {
  const RULE: GivenRule = { key: 'k', title: 't', kind: 'POLICY', effective_from: '2024-01-01' };

  it('reads a day as its first moment in UTC and ignores the order of codes', () => {
    const one = readRule({ ...RULE, codes: ['CARC/50', 'CARC/1'] });
    const two = readRule({
      ...RULE,
      codes: ['carc/1', 'CARC/50', 'CARC/1'],
      effective_from: '2024-01-01T01:00:00+01:00',
    });
    expect('canonical' in one && 'canonical' in two && one.canonical === two.canonical).toBe(true);
  });

  it('rejects a rule beyond its limits', () => {
    const read = readRule({ ...RULE, body: 'ä'.repeat(RULE_BOUNDS.bodyCharacters) });
    expect('faults' in read && read.faults).toMatchObject([{ path: '', code: 'size' }]);
  });
});
