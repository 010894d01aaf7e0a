import { type FieldFault, unknownName } from '../../../../shared/errors/problem.js';
import { isJsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import { RuleFault } from '../../../../shared/json-logic/json-logic.js';
import { nearestName } from '../../../../shared/text/nearest-name.js';
import { type NamedCode, readCode, writtenCode } from '../../codes/domain/index.js';
import { CRITERION_MEMBERS, type Criterion, factsUsedBy, readCriteria } from '../../criteria/domain/index.js';
import { factNamed } from '../../facts/domain/index.js';

const fault = (path: string, code: string, message: string): FieldFault => ({ path, code, message });

/** JSON Pointer step (RFC 6901). */
const step = (name: string | number): string => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/**
 * Checks the criteria of a rule: expressions that are invalid or too large (the grammar of shared/json-logic has no loops and
 * no functions), and facts that no record has.
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
  const unknownMembers = unknownMembersOf(criteria);
  if (unknownMembers.length > 0) return unknownMembers;
  const isList = Array.isArray(criteria);
  return read.flatMap(({ logic, when }, i) => {
    const unknown = (part: typeof logic, name: string): FieldFault[] =>
      (part ? factsUsedBy(part) : [])
        .filter((fact) => factNamed(fact) === null)
        .map((fact) =>
          fault(isList ? `${step(i)}${step(name)}` : '', 'unknown_fact', `No record holds ${shortened(fact)}.`),
        );
    return [...unknown(logic, 'logic'), ...unknown(when, 'when')];
  });
}

/** A misspelt `logic` would leave a criterion that nothing decides. */
function unknownMembersOf(criteria: JsonValue): readonly FieldFault[] {
  if (!Array.isArray(criteria)) return [];
  return criteria.flatMap((one, i) => {
    const given = isJsonObject(one) ? one : {};
    const missing = CRITERION_MEMBERS.filter((name) => !Object.hasOwn(given, name));
    return Object.keys(given)
      .filter((name) => !CRITERION_MEMBERS.includes(name))
      .map((name) => {
        const path = `${step(i)}${step(name.slice(0, MAX_SHOWN_CHARACTERS))}`;
        return unknownName(path, { code: 'unknown_field', noun: 'member', nearest: nearestName(name, missing) });
      });
  });
}

const MAX_SHOWN_CHARACTERS = 80;
const shortened = (text: string): string =>
  JSON.stringify(text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text);

/** Control characters other than tab and line ends. */
const CONTROL = /(?![\t\n\r])\p{Cc}/u;

/** Finds control characters in the texts and names of `criteria`; paths point into it. */
export function lintTexts(criteria: JsonValue): readonly FieldFault[] {
  if (typeof criteria === 'string') {
    return CONTROL.test(criteria) ? [fault('', 'control_character', 'Must not contain control characters.')] : [];
  }
  if (typeof criteria !== 'object' || criteria === null) return [];
  return Object.entries(criteria).flatMap(([name, value]) => [
    ...(CONTROL.test(name) ? [fault('', 'control_character', 'Names must not contain control characters.')] : []),
    ...lintTexts(value).map((found) => ({ ...found, path: `${step(name)}${found.path}` })),
  ]);
}

/** Reads the codes of a rule without duplicates; faults point into `codes`. */
export function readCodes(codes: readonly string[]): {
  readonly codes: readonly NamedCode[];
  readonly faults: readonly FieldFault[];
} {
  const read = new Map<string, NamedCode>();
  const faults: FieldFault[] = [];
  for (const [i, text] of codes.entries()) {
    const code = readCode(text);
    if (code === null) faults.push(fault(step(i), 'code', 'Must be SYSTEM/CODE with a known system.'));
    else read.set(writtenCode(code), code);
  }
  return { codes: [...read.values()], faults };
}

/** Finds codes that no table has; paths point into the rule. @param known tests a code or the prefix of a family. */
export function lintCodes(given: readonly string[], known: (code: NamedCode) => boolean): readonly FieldFault[] {
  return given.flatMap((text, i) => {
    const code = readCode(text);
    if (code === null || known(code)) return [];
    return [fault(`/codes${step(i)}`, 'unknown_code', `The table of ${code.system} has no such code.`)];
  });
}
