import type { JsonObject, JsonValue } from '../../../../shared/json/strict-json.js';
import type { GivenRule } from '../rules/read-rule.js';
import { rowsOf, textOf, textsOf } from './json-rows.js';

// Reason codes as rules: each code of our own tables is one, so that an explanation can name the revision that it stood on.

/** A table of codes: the system that they are of, and the member of the file that holds them. */
export interface ReasonTable {
  readonly system: string;
  readonly member: string;
  /** Who keeps the list; its texts are not here, ours are. */
  readonly keptBy: string;
}

export const REASON_TABLES = {
  CARC: { system: 'CARC', member: 'codes', keptBy: 'claim adjustment reason codes, kept by X12' },
  RARC: { system: 'RARC', member: 'codes', keptBy: 'remittance advice remark codes, kept by CMS' },
  NCPDP: { system: 'NCPDP', member: 'codes', keptBy: 'reject codes (511-FB), kept by NCPDP' },
  HCR03: { system: 'HCR03', member: 'hcr03_decision_reason_4010', keptBy: 'decision reasons of X12 278, 004010' },
  AAA03: { system: 'AAA03', member: 'aaa03_reject_reason', keptBy: 'reject reasons of X12 (element 901)' },
} as const satisfies Readonly<Record<string, ReasonTable>>;

/** Before the first of these lists: an old remittance is explained by the table as well as a new one. */
const SINCE_EVER = '1970-01-01';

/** One rule for each code of a table. */
export const reasonRules = ({ system, member, keptBy }: ReasonTable, table: JsonValue): readonly GivenRule[] =>
  rowsOf(table, member).map((row) => {
    const code = textOf(row, 'code').toUpperCase();
    return {
      key: `${system}-${code}`,
      title: textOf(row, 'meaning').slice(0, 500),
      kind: 'REASON_CODE',
      effective_from: SINCE_EVER,
      codes: [`${system}/${code}`],
      body: bodyOf(row),
      citation: `Code ${code} of the ${keptBy}; the text is our own wording.`,
    };
  });

function bodyOf(row: JsonObject): string {
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
