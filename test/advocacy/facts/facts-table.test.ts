import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { MEASURES } from '../../../subgraphs/advocacy/facts/domain/measures.js';
import { FACT_FAMILIES, FACT_NAMES, FINDINGS } from '../../../subgraphs/advocacy/facts/domain/names.js';

// Who writes criteria reads docs/advocacy.md: a fact that it does not tell cannot be asked for, one that is not is refused.

const DOC = readFileSync(repositoryFile('docs/advocacy.md'), 'utf8');

/** Rows of the table with this name in the first column. */
function rowsOf(head: string): string[][] {
  const lines = DOC.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${head} |`));
  const end = lines.findIndex((line, i) => i > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  );
}

it('the table of facts in docs/advocacy.md equals the table of the linter', () => {
  const facts = Object.entries(FACT_NAMES);
  expect(rowsOf('Fact')).toEqual(
    facts.map(([name, { type, absence, description }]) => [`\`${name}\``, type, absence, description]),
  );
  const families = Object.entries(FACT_FAMILIES);
  expect(rowsOf('Family')).toEqual(families.map(([name, description]) => [`\`${name}.<name>\``, description]));
});

it('the tables of measures and findings in docs/advocacy.md equal those of the linter', () => {
  const measures = [...MEASURES].map(([name, { unit, loinc, description }]) => [
    `\`${name}\``,
    unit,
    loinc.join(', ') || '–',
    description,
  ]);
  expect(rowsOf('Measure')).toEqual(measures);
  const [, findings = ''] = /latest counts: ([^\n]*)\.\n/.exec(DOC) ?? [];
  expect(findings.split(', ')).toEqual([...FINDINGS.keys()].sort().map((name) => `\`${name}\``));
});
