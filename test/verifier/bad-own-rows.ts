import { entryHash } from '../../shared/evidence/chain.js';
import type { Case } from './cases.js';
import { all, type Change, cell, edit, forged, line, manifest } from './forge.js';
import { standardLedger, standardSpec } from './good-cases.js';
import { mappedLedger, ownEntries, proofLines } from './make-bundle.js';

// Rows of custody and system: signed by the right key, and not, or not so, in the ledger.

const TSV = 'proofs/ledger.tsv';
const CHAIN = 'chain.tsv';
const OTHER = 'ab'.repeat(32);
/** Of the first row of the service's own entries, behind the header and those of the events. */
const FIRST_OWN = 1 + standardSpec().events.length;
const OWN_ROWS = ownEntries(standardLedger(), 600).length;

/** chain.tsv with an inserted row, and all rows renumbered. */
const chainRow = (at: number, make: (rows: readonly string[]) => string): Change =>
  edit(CHAIN, (text) => {
    const [header = '', ...rows] = text.slice(0, -1).split('\n');
    rows.splice(at, 0, make(rows));
    return `${[header, ...rows.map((row, i) => row.replace(/^\d+/, String(i + 1)))].join('\n')}\n`;
  });

const custodyOf = (rows: readonly string[]): string[] =>
  (rows.find((row) => row.includes('\tCUSTODY\t')) ?? '').split('\t');

/** An act that never was, far behind the last one, so that it has no neighbour to link to. */
const madeUp =
  (entry_hash: string) =>
  (rows: readonly string[]): string => {
    const cells = custodyOf(rows);
    [cells[13], cells[14], cells[15]] = ['90', OTHER, entry_hash];
    return cells.join('\t');
  };

/** Sets the log's custody head far enough ahead. */
const laterHead = manifest((old) => ({
  ledger: {
    ...old.ledger,
    heads: old.ledger.heads.map((head) => (head.source_system === '_custody' ? { ...head, seq: 91 } : head)),
  },
}));

/** Its header, as a holder of the bundle's key can make one. */
const last = ownEntries(standardLedger(), 600).at(-1);
const HEADER = {
  commit: OTHER,
  event_id: 'evt_madeup',
  fields: OTHER,
  member_tag: null,
  prev: OTHER,
  recorded_at: '2026-03-02T20:00:00.000Z',
  seq: 90,
  source_system: '_custody',
  tenant_id: last?.header.tenant_id ?? '',
};
const madeUpRow = (hash: string, index: number): string =>
  ['evt_madeup', '_custody', 90, HEADER.recorded_at, '-', OTHER, OTHER, '-', OTHER, hash, index].join('\t');
/** Behind the acts, before the row of the map. */
const headerAtEnd = (hash: string, index: number): Change =>
  line(TSV, FIRST_OWN + OWN_ROWS, (text) => [madeUpRow(hash, index), text]);

/** Rows of chain.tsv behind the event at 302 of the tree, where there is room for more. */
const BEHIND_302 = 2;
const headerBetween = (hash: string, index: number): Change =>
  line(TSV, FIRST_OWN + OWN_ROWS - 2, (text) => [madeUpRow(hash, index), text]);

export function ownRowCases(): Case[] {
  const hash = entryHash(HEADER);
  const chainLength = standardSpec().events.length + OWN_ROWS;
  const columns: readonly (readonly [column: number, value: string, code: string])[] = [
    [0, 'evt_other', 'ENTRY_HASH_MISMATCH'],
    [1, '_system', 'OWN_ROW_MISMATCH'],
    [2, '77', 'OWN_ROW_MISMATCH'],
    [3, '2026-03-02T12:00:00.001Z', 'ENTRY_HASH_MISMATCH'],
    [4, OTHER, 'ACT_RECORD'],
    [5, OTHER, 'ENTRY_HASH_MISMATCH'],
    [6, OTHER, 'ENTRY_HASH_MISMATCH'],
    [8, OTHER, 'OWN_ROW_MISMATCH'],
    [9, OTHER, 'OWN_ROW_MISMATCH'],
    [10, '254', 'CHAIN_ORDER'],
    [10, '601', 'INDEX'],
    [7, OTHER, 'ENTRY_HASH_MISMATCH'],
    [2, '0', 'LEDGER_FORM'],
  ];
  return [
    ...columns.flatMap(([column, value, code]) =>
      [FIRST_OWN, FIRST_OWN + 2].map((row) =>
        forged(`own row ${row}, column ${column}: ${value}`, code, cell(TSV, row, column, value)),
      ),
    ),
    forged(
      'the header of the last act missing',
      'OWN_ROW_MISMATCH',
      line(TSV, FIRST_OWN + OWN_ROWS - 1, () => []),
    ),
    forged(
      'no act has a header',
      'OWN_ROW_UNPROVEN',
      edit(TSV, (text) => `${text.split('\n').slice(0, FIRST_OWN).join('\n')}\n`),
    ),
    forged(
      'a header of an act more',
      'LEDGER_ROW_EXTRA',
      line(TSV, FIRST_OWN + OWN_ROWS - 1, (text) => [text, text]),
    ),
    forged('acts without their proofs', 'INCLUSION_MISMATCH', ({ files }) => {
      files.set(
        'proofs/inclusion.jsonl',
        Buffer.from(proofLines(mappedLedger(standardLedger()).leaves, standardSpec().events).join('')),
      );
    }),
    forged('custody of what never was', 'OWN_ROW_MISMATCH', all(chainRow(chainLength, madeUp(OTHER)), laterHead)),
    forged(
      'custody of what never was, with a header of its own',
      'INCLUSION_MISMATCH',
      all(chainRow(chainLength - BEHIND_302, madeUp(hash)), laterHead, headerBetween(hash, 400)),
    ),
    forged(
      'custody of what never was, with a header of its own, at no place',
      'INDEX',
      all(chainRow(chainLength, madeUp(hash)), laterHead, headerAtEnd(hash, 601)),
    ),
    forged(
      'custody told before what it came after',
      'CHAIN_ORDER',
      edit(CHAIN, (text) => {
        const [header = '', ...rows] = text.slice(0, -1).split('\n');
        const at = rows.findIndex((row) => row.includes('\tCUSTODY\t'));
        const [moved = ''] = rows.splice(at, 1);
        rows.unshift(moved);
        return `${[header, ...rows.map((row, i) => row.replace(/^\d+/, String(i + 1)))].join('\n')}\n`;
      }),
    ),
  ];
}
