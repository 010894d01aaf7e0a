import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { FACT_FAMILIES, FACT_NAMES } from '../../subgraphs/advocacy/domain/facts/fact-names.js';
import { FINDINGS } from '../../subgraphs/advocacy/domain/facts/findings.js';
import { MEASURES } from '../../subgraphs/advocacy/domain/facts/measures.js';

// Who writes criteria reads docs/advocacy.md: a fact that it does not tell cannot be asked for, one that is not is refused.

const DOC = readFileSync(repositoryFile('docs/advocacy.md'), 'utf8');

/** Rows of the table whose first column has this name. */
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

test('the table of facts in docs/advocacy.md is the one that rules are held against', () => {
  const facts = Object.entries(FACT_NAMES);
  expect(rowsOf('Fact')).toEqual(
    facts.map(([name, { type, absence, description }]) => [`\`${name}\``, type, absence, description]),
  );
  const families = Object.entries(FACT_FAMILIES);
  expect(rowsOf('Family')).toEqual(families.map(([name, description]) => [`\`${name}.<name>\``, description]));
});

test('so are the measures and the findings', () => {
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
