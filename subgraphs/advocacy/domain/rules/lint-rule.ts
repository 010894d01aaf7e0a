import type { FieldFault } from '../../../../shared/errors/problem.js';
import type { JsonValue } from '../../../../shared/json/strict-json.js';
import { RuleFault } from '../../../../shared/json-logic/json-logic.js';
import { type Criterion, factsAsked, readCriteria } from '../criteria/read-criteria.js';
import { factNamed } from '../facts/fact-names.js';
import { type NamedCode, readCode, writtenCode } from './rule-codes.js';

const fault = (path: string, code: string, message: string): FieldFault => ({ path, code, message });

/** JSON Pointer step (RFC 6901). */
const step = (name: string | number): string => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/**
 * What is wrong with the criteria of a rule: an expression that cannot be evaluated, or is too large (the grammar of
 * shared/json-logic knows no loop and no function, and ends at its bounds), and a fact that no record has.
 *
 * @returns pointers into `criteria`.
 */
export function lintCriteria(criteria: JsonValue, title: string): readonly FieldFault[] {
  let read: readonly Criterion[];
  try {
    read = readCriteria(criteria, title);
  } catch (error) {
    if (error instanceof RuleFault) return [fault(error.path, 'criteria', error.message)];
    throw error;
  }
  const isList = Array.isArray(criteria);
  return read.flatMap(({ logic, when }, i) => {
    const unknown = (part: typeof logic, name: string): FieldFault[] =>
      (part ? factsAsked(part) : [])
        .filter((fact) => factNamed(fact) === null)
        .map((fact) =>
          fault(isList ? `${step(i)}${step(name)}` : '', 'unknown_fact', `No record holds ${shortened(fact)}.`),
        );
    return [...unknown(logic, 'logic'), ...unknown(when, 'when')];
  });
}

const MOST_SHOWN_CHARACTERS = 80;
const shortened = (text: string): string =>
  JSON.stringify(text.length > MOST_SHOWN_CHARACTERS ? `${text.slice(0, MOST_SHOWN_CHARACTERS)}…` : text);

/** Of the control characters texts may hold a tab and the ends of lines. */
const CONTROL = /(?![\t\n\r])\p{Cc}/u;

/** Control characters in any text or name within `criteria`, by pointers into it. */
export function lintTexts(criteria: JsonValue): readonly FieldFault[] {
  if (typeof criteria === 'string') {
    return CONTROL.test(criteria) ? [fault('', 'control_character', 'Must hold no control characters.')] : [];
  }
  if (typeof criteria !== 'object' || criteria === null) return [];
  return Object.entries(criteria).flatMap(([name, value]) => [
    ...(CONTROL.test(name) ? [fault('', 'control_character', 'Names must hold no control characters.')] : []),
    ...lintTexts(value).map((found) => ({ ...found, path: `${step(name)}${found.path}` })),
  ]);
}

/** Codes of a rule as they are indexed, each once; or what is wrong with them, by pointers into `codes`. */
export function readCodes(codes: readonly string[]): {
  readonly codes: readonly NamedCode[];
  readonly faults: readonly FieldFault[];
} {
  const read = new Map<string, NamedCode>();
  const faults: FieldFault[] = [];
  for (const [i, text] of codes.entries()) {
    const code = readCode(text);
    if (code === null) faults.push(fault(step(i), 'code', 'Must be SYSTEM/CODE, of a system that is known.'));
    else read.set(writtenCode(code), code);
  }
  return { codes: [...read.values()], faults };
}

/** What the tables say of a rule's codes, by pointers into the rule. @param known of one code, or of one family's beginning. */
export function lintCodes(given: readonly string[], known: (code: NamedCode) => boolean): readonly FieldFault[] {
  return given.flatMap((text, i) => {
    const code = readCode(text);
    if (code === null || known(code)) return [];
    return [fault(`/codes${step(i)}`, 'unknown_code', `The table of ${code.system} has no such code.`)];
  });
}
