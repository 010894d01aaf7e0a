import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import type { GivenRule } from '../rules/read-rule.js';
import { rowsOf, textOf, textsOf } from './json-rows.js';

/**
 * The starter corpus of published guidelines as rules.
 *
 * @param guidelines title, citation, dates and codes.
 * @param criteria by the guideline's id, with the logic that judges each.
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
      body: bodyOf(row),
      citation: textOf(row, 'citation'),
    };
  });
}

/** A guideline is found by the services that it is about; one that names none, by its diagnoses. */
function codesOf(row: JsonObject): readonly string[] {
  const services = ['procedure_codes', 'excluded_procedure_codes', 'retired_procedure_codes'].flatMap((member) =>
    textsOf(row, member).map((code) => `HCPCS/${code}`),
  );
  if (services.length > 0) return services;
  return textsOf(row, 'diagnosis_patterns').map((pattern) => `ICD10CM/${familyOf(pattern)}*`);
}

/** The beginning that a pattern says, where it says one and no more. */
function familyOf(pattern: string): string {
  const plain = pattern.replaceAll('\\.', '.');
  if (!/^[A-Z0-9.]+$/.test(plain)) throw new RangeError(`the pattern ${pattern} is more than a beginning`);
  return plain;
}

const bodyOf = (row: JsonObject): string =>
  [
    `Source: ${textOf(row, 'source')}.`,
    ...(typeof row['grade'] === 'string' ? [`Grade ${row['grade']}.`] : []),
    `How sure we are: ${textOf(row, 'certainty')}.`,
    'Criteria in our own words; not legal or medical advice.',
  ].join('\n');
