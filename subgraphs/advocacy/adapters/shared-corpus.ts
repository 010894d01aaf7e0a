import { guidelineRules } from '../domain/corpus/guideline-rules.js';
import { REASON_TABLES, reasonRules } from '../domain/corpus/reason-rules.js';
import type { GivenRule } from '../domain/rules/read-rule.js';
import { readCodeJson } from './code-files.js';

/** Every rule of the corpus that comes with the service. */
export function readSharedCorpus(): readonly GivenRule[] {
  const x12 = readCodeJson('x12-codes.json');
  return [
    ...guidelineRules(readCodeJson('guidelines.json'), readCodeJson('guideline-criteria.json')),
    ...reasonRules(REASON_TABLES.CARC, readCodeJson('carc.json')),
    ...reasonRules(REASON_TABLES.RARC, readCodeJson('rarc.json')),
    ...reasonRules(REASON_TABLES.NCPDP, readCodeJson('ncpdp-rejects.json')),
    ...reasonRules(REASON_TABLES.HCR03, x12),
    ...reasonRules(REASON_TABLES.AAA03, x12),
  ];
}
