import { ownRowCases } from './bad-own-rows.js';
import type { Case } from './cases.js';
import { all, type Change, cell, edit, forged, line, manifest, rehash, swap } from './forge.js';
import { standardSpec } from './good-cases.js';

export const recordCases = (): Case[] => [...records(), ...rows(), ...chains(), ...ownRowCases()];

function records(): Case[] {
  const jsonl = 'events.jsonl';
  const value = (n: number, from: string, to: string): Change =>
    all(
      line(jsonl, n, (text) => text.replace(from, to)),
      rehash,
    );
  return [
    ...[0, 3, 4, 10, 16].map((n) =>
      forged(`a value of record ${n}`, 'COMMIT_MISMATCH', value(n, 'DENIED', 'APPROVED')),
    ),
    forged('a value of a redacted record', 'REDACTED_LINE', value(2, 'prior_auth.denied', 'prior_auth.granted')),
    forged(
      'a hidden digest of a redacted record',
      'REDACTED_LINE',
      all(
        line(jsonl, 2, (text) => text.replace(/"hidden":\["[0-9a-f]{4}/, '"hidden":["0000')),
        rehash,
      ),
    ),
    forged('a redaction that nobody lists', 'REDACTION_UNLISTED', value(2, 'red_0000', 'red_0001')),
    forged(
      'a redaction that is not in the list',
      'REDACTION_UNLISTED',
      manifest(() => ({ redactions: [] })),
    ),
    forged('more in the line of a disposed event', 'DISPOSED_LINE', value(5, '"DISPOSED"}', '"DISPOSED","x":1}')),
    forged('blanks in a record', 'RECORD_NOT_CANONICAL', value(0, '{', '{ ')),
    forged(
      'a repeated member in a record',
      'RECORD_NOT_CANONICAL',
      value(0, '{"event_effective_timestamp"', '{"a":1,"a":2,"event_effective_timestamp"'),
    ),
    forged('another spelling of a number', 'RECORD_NOT_CANONICAL', value(0, '1e-7', '1E-7')),
    forged('another spelling of a string', 'RECORD_NOT_CANONICAL', value(0, 'DENIED', '\\u0044ENIED')),
    forged(
      'a record that is no object',
      'COMMIT_MISMATCH',
      all(
        line(jsonl, 0, () => '[]'),
        rehash,
      ),
    ),
    forged(
      'a record that is no JSON',
      'RECORD_NOT_CANONICAL',
      all(
        line(jsonl, 0, () => 'x'),
        rehash,
      ),
    ),
    forged(
      'a record not of the hash in the manifest',
      'EVENT_HASH',
      line(jsonl, 0, (text) => text.replace('DENIED', 'APPROVED')),
    ),
    forged(
      'a record missing',
      'EVENT_MISSING',
      line(jsonl, 16, () => []),
    ),
    forged(
      'a record more',
      'EVENT_LINE_EXTRA',
      line(jsonl, 16, (text) => [text, text]),
    ),
    forged('records swapped', 'COMMIT_MISMATCH', all(swap(jsonl, 0, 1), rehash)),
    forged('records swapped without their hashes', 'EVENT_HASH', swap(jsonl, 0, 1)),
    forged(
      'records not ended',
      'TEXT_UNENDED',
      edit(jsonl, (text) => text.slice(0, -1)),
    ),
    forged('records that are no UTF-8', 'TEXT_ENCODING', ({ files }) => {
      const bytes = Buffer.from(files.get(jsonl) ?? '');
      bytes[20] = 0xff;
      files.set(jsonl, bytes);
    }),
    forged('redacted events in a minimal bundle', 'MINIMAL_WITH_GAPS', () => undefined, {
      ...standardSpec(),
      disposed: new Set(),
      profile: 'minimal',
    }),
  ];
}

/** Every column of ledger.tsv, and the rows as such. */
function rows(): Case[] {
  const tsv = 'proofs/ledger.tsv';
  const other = 'ab'.repeat(32);
  const columns: readonly (readonly [column: number, value: string, code: string])[] = [
    [0, 'evt_other', 'EVENT_MISMATCH'],
    [1, 'claims', 'EVENT_MISMATCH'],
    [2, '999', 'EVENT_MISMATCH'],
    [3, '2026-03-02T12:00:00.001Z', 'ENTRY_HASH_MISMATCH'],
    [4, other, 'COMMIT_MISMATCH'],
    [5, other, 'COMMIT_MISMATCH'],
    [6, other, 'FIELDS_MISMATCH'],
    [8, other, 'ENTRY_HASH_MISMATCH'],
    [9, other, 'EVENT_MISMATCH'],
    [10, '3', 'EVENT_MISMATCH'],
    [7, other, 'ENTRY_HASH_MISMATCH'],
    [7, '-', 'ENTRY_HASH_MISMATCH'],
    [7, 'x', 'LEDGER_FORM'],
    [3, 'yesterday', 'LEDGER_FORM'],
    [2, '01', 'LEDGER_FORM'],
    [2, '0', 'LEDGER_FORM'],
    [4, other.toUpperCase(), 'LEDGER_FORM'],
    [0, '', 'LEDGER_FORM'],
    [0, 'a\\x', 'LEDGER_FORM'],
  ];
  return [
    ...columns.flatMap(([column, value, code]) =>
      [1, 12].map((row) => forged(`column ${column} of row ${row}: ${value}`, code, cell(tsv, row, column, value))),
    ),
    forged('the seed of a redacted event', 'SEED', cell(tsv, 3, 4, other)),
    forged('the seed of a disposed event', 'SEED', cell(tsv, 6, 4, other)),
    forged('no seed of a whole event', 'SEED', cell(tsv, 1, 4, '-')),
    forged(
      'no header row of ledger.tsv',
      'LEDGER_FORM',
      line(tsv, 0, () => 'event_id'),
    ),
    forged(
      'a row of ledger.tsv missing',
      'OWN_ROW_MISMATCH',
      line(tsv, 4, () => []),
    ),
    forged(
      'rows of ledger.tsv cut off',
      'EVENT_MISSING',
      edit(tsv, (text) => `${text.split('\n').slice(0, 5).join('\n')}\n`),
    ),
    forged(
      'a row of ledger.tsv more',
      'LEDGER_ROW_EXTRA',
      line(tsv, 17, (text) => [text, text]),
    ),
    forged('rows of ledger.tsv swapped', 'EVENT_MISMATCH', swap(tsv, 1, 2)),
  ];
}

function chains(): Case[] {
  const tsv = 'chain.tsv';
  const other = 'ab'.repeat(32);
  const rowOf =
    (kind: string) =>
    (text: string): number =>
      text.split('\n').findIndex((row) => row.includes(`\t${kind}\t`));
  const own = (kind: string, column: number, value: string): Change =>
    edit(tsv, (text) => {
      const at = rowOf(kind)(text);
      const lines = text.split('\n');
      lines[at] = (lines[at] ?? '')
        .split('\t')
        .map((old, i) => (i === column ? value : old))
        .join('\t');
      return lines.join('\n');
    });
  return [
    ...(
      [
        [0, '7', 'CHAIN_FORM'],
        [2, 'OTHER', 'CHAIN_FORM'],
        [4, 'evt_other', 'CHAIN_ROW_MISMATCH'],
        [11, other, 'CHAIN_ROW_HASH'],
        [10, other, 'CHAIN_ROW_HASH'],
        [12, 'claims', 'CHAIN_ROW_MISMATCH'],
        [13, '77', 'CHAIN_ROW_MISMATCH'],
        [14, other, 'CHAIN_ROW_MISMATCH'],
        [15, other, 'CHAIN_ROW_MISMATCH'],
        [15, 'none', 'CHAIN_FORM'],
        [13, 'x', 'CHAIN_FORM'],
      ] as const
    ).map(([column, value, code]) => forged(`chain column ${column}: ${value}`, code, own('LEDGER', column, value))),
    forged('custody not linked', 'LINK_MISMATCH', own('CUSTODY', 15, other)),
    forged('custody of no beginning', 'GENESIS_MISMATCH', own('CUSTODY', 14, other)),
    forged('custody of another partition', 'CHAIN_FORM', own('CUSTODY', 12, '_system')),
    forged('custody beyond its head', 'HEAD_MISMATCH', own('CUSTODY', 13, '99')),
    forged('a system entry that another follows', 'LINK_MISMATCH', own('SYSTEM', 15, other)),
    forged(
      'a row missing',
      'CHAIN_FORM',
      line(tsv, 3, () => []),
    ),
    forged(
      'the last row of an event missing',
      'CHAIN_ROW_MISSING',
      edit(tsv, (text) => {
        const lines = text.split('\n');
        const last = lines.findLastIndex((row) => row.includes('\tLEDGER\t'));
        return lines.filter((_, i) => i !== last).join('\n');
      }),
    ),
    forged(
      'a row of an event more',
      'CHAIN_ROW_EXTRA',
      edit(tsv, (text) => {
        const lines = text.slice(0, -1).split('\n');
        const last = lines.findLast((row) => row.includes('\tLEDGER\t')) ?? '';
        return `${text}${last.replace(/^\d+/, String(lines.length))}\n`;
      }),
    ),
    forged(
      'no header row',
      'CHAIN_FORM',
      line(tsv, 0, () => 'n'),
    ),
    forged(
      'a seed in the hash column of a redacted event',
      'CHAIN_ROW_HASH',
      edit(tsv, (text) =>
        text
          .split('\n')
          .map((row) => {
            const cells = row.split('\t');
            if (cells[4] === 'evt_00000000000000000000000002') cells[11] = other;
            return cells.join('\t');
          })
          .join('\n'),
      ),
    ),
  ];
}
