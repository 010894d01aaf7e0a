import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { BSON } from 'mongodb';
import { JUDGEMENTS } from './judgements.js';

const readme = join(dirname(fileURLToPath(new URL('../../package.json', import.meta.url))), 'README.md');

function shown(outcome: (typeof JUDGEMENTS)[number]['here']): string {
  return typeof outcome === 'number' ? `error ${outcome}` : `\`${BSON.EJSON.stringify(outcome, { relaxed: true })}\``;
}

describe('the table of disagreements with SecantusDB in the README', () => {
  it('has the row of each judgement, and no other', () => {
    const [, table = ''] = readFileSync(readme, 'utf8').split('<!-- judgements -->\n');
    const rows = table.split('\n').filter((line) => line.startsWith('| '));
    const expected = JUDGEMENTS.map(
      ({ name, here, there, right, reason }) => `| ${name} | ${shown(here)} | ${shown(there)} | ${right}: ${reason} |`,
    );
    expect(rows.slice(1)).toEqual(expected);
  });
});
