import { rowsOf, textOf } from '../domain/corpus/json-rows.js';
import { REASON_TABLES } from '../domain/corpus/reason-rules.js';
import { readCodeJson } from './code-files.js';

const FILES: Readonly<Record<keyof typeof REASON_TABLES, string>> = {
  CARC: 'carc.json',
  RARC: 'rarc.json',
  NCPDP: 'ncpdp-rejects.json',
  HCR03: 'x12-codes.json',
  AAA03: 'x12-codes.json',
};

/** The codes of the tables that come with the service, by system. Of X12 886 there is none in our own words. */
export const readOwnCodes = (): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    Object.values(REASON_TABLES).map(({ system, member }) => [
      system,
      new Set(rowsOf(readCodeJson(FILES[system]), member).map((row) => textOf(row, 'code').toUpperCase())),
    ]),
  );
