import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import type { GivenRule } from './read-rule.js';

// Reads the tables that ship with the service. A malformed table stops the start.

/** A table of reason codes: its code system, and the member of the file that holds its rows. */
interface ReasonTable {
  readonly system: string;
  readonly member: string;
  /** Maintainer of the list. The texts are our own. */
  readonly keptBy: string;
}

export const REASON_TABLES = {
  CARC: { system: 'CARC', member: 'codes', keptBy: 'claim adjustment reason codes, kept by X12' },
  RARC: { system: 'RARC', member: 'codes', keptBy: 'remittance advice remark codes, kept by CMS' },
  NCPDP: { system: 'NCPDP', member: 'codes', keptBy: 'reject codes (511-FB), kept by NCPDP' },
  HCR03: { system: 'HCR03', member: 'hcr03_decision_reason_4010', keptBy: 'decision reasons of X12 278, 004010' },
  AAA03: { system: 'AAA03', member: 'aaa03_reject_reason', keptBy: 'reject reasons of X12 (element 901)' },
} as const satisfies Readonly<Record<string, ReasonTable>>;

/** Earlier than any of these lists, so that the table also explains old remittances. */
const EPOCH = '1970-01-01';

/** Converts each code of a table to a rule, so that an explanation can cite a revision. */
export const reasonRules = ({ system, member, keptBy }: ReasonTable, table: JsonValue): readonly GivenRule[] =>
  rowsOf(table, member).map((row) => {
    const code = textOf(row, 'code').toUpperCase();
    return {
      key: `${system}-${code}`,
      title: textOf(row, 'meaning').slice(0, 500),
      kind: 'REASON_CODE',
      effective_from: EPOCH,
      codes: [`${system}/${code}`],
      body: reasonBody(row),
      citation: `Code ${code} of the ${keptBy}; the text is our own wording.`,
    };
  });

function reasonBody(row: JsonObject): string {
  const replaced = textsOf(row, 'replaced_by');
  return [
    textOf(row, 'meaning'),
    ...(typeof row['remediation'] === 'string' ? [row['remediation']] : []),
    ...(row['deprecated'] === true
      ? [`No longer in use${replaced.length > 0 ? `; today ${replaced.join(', ')}` : ''}.`]
      : []),
    ...(row['alert'] === true ? ['A notice: by itself it denies nothing.'] : []),
    ...(typeof row['certainty'] === 'string' ? [`How sure we are: ${row['certainty']}.`] : []),
  ].join('\n');
}

/**
 * Converts the published guidelines of the corpus to rules.
 *
 * @param guidelines title, citation, dates and codes.
 * @param criteria criteria by guideline id.
 */
export function guidelineRules(guidelines: JsonValue, criteria: JsonValue): readonly GivenRule[] {
  return rowsOf(guidelines, 'guidelines').map((row) => {
    const id = textOf(row, 'id');
    const own = isJsonObject(criteria) ? criteria[id] : undefined;
    if (!Array.isArray(own)) throw new RangeError(`the guideline ${id} has no criteria`);
    return {
      key: id,
      title: textOf(row, 'title'),
      kind: 'GUIDELINE',
      jurisdiction: textOf(row, 'jurisdiction'),
      program: textOf(row, 'program'),
      effective_from: textOf(row, 'effective_from'),
      ...(typeof row['effective_to'] === 'string' ? { effective_to: row['effective_to'] } : {}),
      codes: codesOf(row),
      criteria: own,
      body: guidelineBody(row),
      citation: textOf(row, 'citation'),
    };
  });
}

/** Returns the procedure codes of a guideline; without any, its diagnosis families. */
function codesOf(row: JsonObject): readonly string[] {
  const services = ['procedure_codes', 'excluded_procedure_codes', 'retired_procedure_codes'].flatMap((member) =>
    textsOf(row, member).map((code) => `HCPCS/${code}`),
  );
  if (services.length > 0) return services;
  return textsOf(row, 'diagnosis_patterns').map((pattern) => `ICD10CM/${familyOf(pattern)}*`);
}

/** @throws RangeError if the pattern is more than a prefix. */
function familyOf(pattern: string): string {
  const plain = pattern.replaceAll('\\.', '.');
  if (!/^[A-Z0-9.]+$/.test(plain)) throw new RangeError(`the pattern ${pattern} is more than a prefix`);
  return plain;
}

const guidelineBody = (row: JsonObject): string =>
  [
    `Source: ${textOf(row, 'source')}.`,
    ...(typeof row['grade'] === 'string' ? [`Grade ${row['grade']}.`] : []),
    `How sure we are: ${textOf(row, 'certainty')}.`,
    'Criteria in our own words; not legal or medical advice.',
  ].join('\n');

/** @throws RangeError if the table has no such rows. */
export function rowsOf(table: JsonValue, member: string): readonly JsonObject[] {
  const rows = isJsonObject(table) ? table[member] : undefined;
  if (!Array.isArray(rows) || !rows.every(isJsonObject)) throw new RangeError(`a table has no rows ${member}`);
  return rows;
}

/** @throws RangeError if the row has no such text. */
export function textOf(row: JsonObject, member: string): string {
  const value = row[member];
  if (typeof value !== 'string' || value === '') throw new RangeError(`a row has no ${member}`);
  return value;
}

/** Returns the texts of a list of the row; empty if it has no such list. @throws RangeError */
function textsOf(row: JsonObject, member: string): readonly string[] {
  const value = row[member] ?? [];
  if (!Array.isArray(value)) throw new RangeError(`${member} of a row must be a list`);
  return value.map((one) => {
    if (typeof one !== 'string') throw new RangeError(`${member} of a row must contain only texts`);
    return one;
  });
}
