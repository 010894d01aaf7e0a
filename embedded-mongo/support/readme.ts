import { readFileSync, writeFileSync } from 'node:fs';
import { supportTable } from './table.js';

const begin = '<!-- support:begin (printed by `npm run docs:db`, do not edit) -->';
const end = '<!-- support:end -->';

/** The README with its tables as the code would print them now. */
export function withSupportTable(readme: string): string {
  const [start, stop] = [readme.indexOf(begin), readme.indexOf(end)];
  if (start < 0 || stop < start) throw new Error('the README lacks the marks of the support table');
  return `${readme.slice(0, start + begin.length)}\n\n${supportTable()}\n\n${readme.slice(stop)}`;
}

/** Rewrites the file; gives whether anything changed. */
export function updateReadme(path: string): boolean {
  const before = readFileSync(path, 'utf8');
  const after = withSupportTable(before);
  if (after !== before) writeFileSync(path, after);
  return after !== before;
}
