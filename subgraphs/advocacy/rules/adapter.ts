import { readCodeJson } from '../corpus/index.js';
import { guidelineRules, REASON_TABLES, reasonRules, rowsOf, textOf } from './domain/corpus.js';
import type { GivenRule } from './domain/read-rule.js';

const FILES: Readonly<Record<keyof typeof REASON_TABLES, string>> = {
  CARC: 'carc.json',
  RARC: 'rarc.json',
  NCPDP: 'ncpdp-rejects.json',
  HCR03: 'x12-codes.json',
  AAA03: 'x12-codes.json',
};

/** Returns the codes of the tables that ship with the service, by system. X12 886 has no table. */
export const readOwnCodes = (): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    Object.values(REASON_TABLES).map(({ system, member }) => [
      system,
      new Set(rowsOf(readCodeJson(FILES[system]), member).map((row) => textOf(row, 'code').toUpperCase())),
    ]),
  );

/** Returns every rule of the corpus that ships with the service. */
export function readSharedCorpus(): readonly GivenRule[] {
  return [
    ...guidelineRules(readCodeJson('guidelines.json'), readCodeJson('guideline-criteria.json')),
    ...Object.values(REASON_TABLES).flatMap((table) => reasonRules(table, readCodeJson(FILES[table.system]))),
  ];
}
