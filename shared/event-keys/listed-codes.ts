import { isJsonObject, type JsonObject, type JsonValue } from '../json/strict-json.js';
import { diagnosisCode, type ListedCode, procedureCode, reasonNumber, textOf } from './payload-codes.js';

/** A code of a payload with its place. */
interface PlacedCode extends ListedCode {
  /** JSON Pointer in the event. */
  readonly pointer: string;
}

/** Values read of one list; guards against oversized payloads. */
const MAX_OF_A_LIST = 500;

type Read = (written: string) => ListedCode;
const of =
  (system: string): Read =>
  (code) => ({ system, code: code.toUpperCase() });

/** The lists of codes of a payload, and how each reads its codes. */
const LISTS: readonly (readonly [member: string, read: Read])[] = [
  ['carc', (code) => ({ system: 'CARC', code: reasonNumber(code) })],
  ['rarc', of('RARC')],
  ['reject_codes', of('NCPDP')],
  ['procedure_codes', procedureCode],
  ['diagnosis_codes', diagnosisCode],
  ['place_of_service', of('POS')],
];
/** Lists of objects, and the members of these that hold codes. */
const NESTED: readonly (readonly [list: string, member: string, read: Read])[] = [
  ['lines', 'revenue_code', (code) => ({ system: 'REVENUE', code: code.padStart(4, '0') })],
  ['lines', 'place_of_service', of('POS')],
  ['providers', 'taxonomy', of('TAXONOMY')],
];

/** Qualifiers of X12 HI and names of systems that say that a diagnosis is not of ICD-10-CM. */
const OTHER_DIAGNOSIS = /^(?:B[A-Z]|PR|9|.*(?:icd-?9|snomed).*)$/i;

/** The codes of a payload that a table may judge, each with its place. A diagnosis of another stated system is left out. */
export function listedCodesOf(payload: JsonObject): readonly PlacedCode[] {
  const others = otherDiagnoses(payload['diagnoses']);
  const listed = LISTS.flatMap(([member, read]) =>
    placed(payload[member], `/payload/${member}`).map(({ text, pointer }) => ({ ...read(text), pointer })),
  );
  const nested = NESTED.flatMap(([list, member, read]) =>
    itemsOf(payload[list]).flatMap((item, at) => {
      const text = isJsonObject(item) ? textOf(item[member]) : undefined;
      return text === undefined ? [] : [{ ...read(text), pointer: `/payload/${list}/${at}/${member}` }];
    }),
  );
  return [...listed, ...nested].filter(({ system, code }) => system !== 'ICD10CM' || !others.has(bare(code)));
}

const itemsOf = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? value.slice(0, MAX_OF_A_LIST) : [];

const bare = (code: string): string => code.toUpperCase().replace('.', '');

function placed(value: JsonValue | undefined, pointer: string): { readonly text: string; readonly pointer: string }[] {
  const single = textOf(value);
  if (single !== undefined) return [{ text: single, pointer }];
  return itemsOf(value).flatMap((item, at) => {
    const text = textOf(item);
    return text === undefined ? [] : [{ text, pointer: `${pointer}/${at}` }];
  });
}

/** Diagnoses of another classification, by qualifier or system, without their point. */
function otherDiagnoses(value: JsonValue | undefined): ReadonlySet<string> {
  const named = itemsOf(value).flatMap((item) => {
    if (!isJsonObject(item)) return [];
    const [code, stated] = [textOf(item['code']), textOf(item['system']) ?? textOf(item['qualifier'])];
    return code !== undefined && stated !== undefined && OTHER_DIAGNOSIS.test(stated) ? [bare(code)] : [];
  });
  return new Set(named);
}
