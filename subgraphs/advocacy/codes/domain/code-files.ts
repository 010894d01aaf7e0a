import { instantOf } from '../../../../shared/time/rfc3339.js';
import { codeSystemOf, dottedIcd10 } from './named-code.js';

/** One code of a file. */
export interface CodeLine {
  readonly code: string;
  readonly description: string;
  readonly is_valid: boolean;
  readonly effective_from?: Date;
  /** First moment at which it is invalid. */
  readonly effective_to?: Date;
}

/** The result of reading one line. */
export type ReadLine =
  | { readonly kind: 'code'; readonly line: CodeLine }
  /** No code on this line alone. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'passed-over'; readonly why: string }
  | { readonly kind: 'bad'; readonly why: string };

/** Reads one file, line by line. */
interface CodeFileReader {
  readonly system: string;
  read(text: string): ReadLine;
  /** Returns the code that the last lines hold. */
  end(): ReadLine;
}

const NOTHING: ReadLine = { kind: 'nothing' };
const bad = (why: string): ReadLine => ({ kind: 'bad', why });
const MAX_DESCRIPTION_CHARACTERS = 4_000;

// Tables with a header line: `code`, `description` (or `short_description`, `long_description`), and optionally `billable`
// (or `valid`), 1 or 0, `effective_from` (or `start_date`) and `effective_to` (or `stop_date`), the first and last day of
// validity as YYYY-MM-DD or YYYYMMDD.

const DESCRIPTIONS = ['long_description', 'description', 'short_description'] as const;
const VALID = ['billable', 'valid'] as const;
const FIRST_DAY = ['effective_from', 'start_date'] as const;
const LAST_DAY = ['effective_to', 'stop_date'] as const;
const TSV_CODE = /^[A-Z0-9][A-Z0-9.-]{0,31}$/;

const isCodeTsv = (header: string): boolean => header.toLowerCase().split('\t').includes('code');

/** @param system given by the importer, else derived from the column names. @returns null if both are unknown. */
function codeTsvReader(header: string, system: string | null): CodeFileReader | null {
  const names = header.toLowerCase().split('\t');
  const at = (wanted: readonly string[]): number => wanted.map((name) => names.indexOf(name)).find((i) => i >= 0) ?? -1;
  const [code, description, valid] = [names.indexOf('code'), at(DESCRIPTIONS), at(VALID)];
  const [firstDay, lastDay] = [at(FIRST_DAY), at(LAST_DAY)];
  const known = system ?? (valid >= 0 ? 'ICD10CM' : names.includes('short_description') ? 'HCPCS' : null);
  const name = known === null ? null : codeSystemOf(known);
  if (name === null || description < 0) return null;
  return {
    system: name,
    read: (text) => {
      if (text.trim() === '') return NOTHING;
      const cells = text.split('\t');
      const written = (cells[code] ?? '').trim().toUpperCase();
      const words = (cells[description] ?? '').trim();
      if (!TSV_CODE.test(written)) return bad('has no code');
      if (words === '' || words.length > MAX_DESCRIPTION_CHARACTERS)
        return bad('has no description or one that is too long');
      const flag = valid < 0 ? '1' : (cells[valid] ?? '').trim();
      if (flag !== '0' && flag !== '1') return bad(`must have 1 or 0 in ${names[valid]}`);
      const plain = name === 'ICD10CM' ? dottedIcd10(written) : written;
      const span = spanOf(cells[firstDay] ?? '', cells[lastDay] ?? '');
      if (span === null) return bad('has an impossible date');
      return { kind: 'code', line: { code: plain, description: words, is_valid: flag === '1', ...span } };
    },
    end: () => NOTHING,
  };
}

/** The days of validity of a line; null for an impossible one. */
function spanOf(first: string, last: string): Pick<CodeLine, 'effective_from' | 'effective_to'> | null {
  const [from, until] = [dayOf(first.replaceAll('-', '')), dayOf(last.replaceAll('-', ''))];
  if (from === null || until === null) return null;
  return {
    ...(from === undefined ? {} : { effective_from: from }),
    ...(until === undefined ? {} : { effective_to: new Date(until.getTime() + MS_A_DAY) }),
  };
}

// The alphanumeric file of HCPCS level II (CMS, "HCPCS record layout"): code in columns 1–5, sequence in 6–10, record type in 11
// (3 starts a code, 4 continues it, 7 and 8 the same for a modifier), long description in 12–91, short description in 92–119,
// first day of validity in 277–284, last day in 285–292.

const HCPCS_CODE = /^[A-Z0-9]{5}$/;
const HEAD = /^.{5}[0-9 ]{5}[3478]/;
const MS_A_DAY = 86_400_000;

const isHcpcsFixed = (line: string): boolean => line.length >= 92 && HEAD.test(line);

function hcpcsFixedReader(): CodeFileReader {
  let open: { line: CodeLine; texts: string[] } | null = null;
  const close = (): ReadLine => {
    if (open === null) return NOTHING;
    const { line, texts } = open;
    open = null;
    return { kind: 'code', line: { ...line, description: texts.join(' ').replaceAll(/\s+/g, ' ').trim() } };
  };
  return {
    system: 'HCPCS',
    read: (text) => {
      if (text.trim() === '') return NOTHING;
      if (!isHcpcsFixed(text)) return bad('is not a line of the record layout');
      const code = text.slice(0, 5).trim();
      const type = text[10];
      const words = text.slice(11, 91).trim();
      if (type === '4') {
        if (open?.line.code !== code) return bad('continues a code that has not started');
        open.texts.push(words);
        return NOTHING;
      }
      const before = close();
      if (type !== '3') return before.kind === 'nothing' ? { kind: 'passed-over', why: 'a modifier' } : before;
      if (!HCPCS_CODE.test(code)) return bad('has no code');
      const span = spanOf(text.slice(276, 284), text.slice(284, 292));
      if (span === null) return bad('has an impossible date');
      const line: CodeLine = {
        code,
        description: '',
        is_valid: true,
        ...span,
      };
      open = { line, texts: [words || text.slice(91, 119).trim()] };
      return before;
    },
    end: close,
  };
}

/** @returns undefined for an empty field, null for an invalid day. */
function dayOf(field: string): Date | undefined | null {
  const text = field.trim();
  if (text === '') return undefined;
  const ms = instantOf(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}T00:00:00Z`);
  return ms === undefined || text.length !== 8 ? null : new Date(ms);
}

// The order file of ICD-10-CM (CMS, icd10cm_order_YYYY.txt): order number in columns 1–5, code without its point in 7–13, in
// column 15 1 for a billable code and 0 for a heading, short title in 17–76, long title from 78.

const LINE = /^(\d{5}) ([A-Z0-9 ]{7}) ([01]) (.{60}) ?(.*)$/;
const ICD10CM_CODE = /^[A-Z][0-9][0-9A-Z][0-9A-Z]{0,4}$/;

const isIcd10cmOrder = (line: string): boolean => LINE.test(line.padEnd(77));

function icd10cmOrderReader(): CodeFileReader {
  return {
    system: 'ICD10CM',
    read: (text) => {
      if (text.trim() === '') return NOTHING;
      const [, , code = '', valid, short = '', long = ''] = LINE.exec(text.padEnd(77)) ?? [];
      if (!ICD10CM_CODE.test(code.trim())) return bad('is not a line of the order file');
      const description = (long.trim() || short.trim()).replaceAll(/\s+/g, ' ');
      if (description === '') return bad('has no title');
      return { kind: 'code', line: { code: dottedIcd10(code.trim()), description, is_valid: valid === '1' } };
    },
    end: () => NOTHING,
  };
}

/** Chooses the reader by the first line of a file; null for an unknown format. */
export function readerFor(
  firstLine: string,
  system: string | null,
): { reader: CodeFileReader; hasHeader: boolean } | null {
  if (isCodeTsv(firstLine)) {
    const reader = codeTsvReader(firstLine, system);
    return reader === null ? null : { reader, hasHeader: true };
  }
  if (isIcd10cmOrder(firstLine)) return { reader: icd10cmOrderReader(), hasHeader: false };
  if (isHcpcsFixed(firstLine)) return { reader: hcpcsFixedReader(), hasHeader: false };
  return null;
}

/** Files of HCPCS also hold CPT (five digits) and dental codes, under licences of the AMA and the ADA; they are skipped. */
const NOT_LEVEL_2 = /^(?:[0-9]|D[0-9])/;

export function withoutLicensed(reader: CodeFileReader, read: ReadLine): ReadLine {
  if (read.kind !== 'code' || reader.system !== 'HCPCS' || !NOT_LEVEL_2.test(read.line.code)) return read;
  return { kind: 'passed-over', why: 'not of HCPCS level II' };
}
