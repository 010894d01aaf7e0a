import { gunzipSync } from 'node:zlib';

/** Type and cardinality of one element. */
export interface ElementType {
  readonly type: string;
  readonly isList: boolean;
}

/** The elements of one type by name. */
type TypeElements = ReadonlyMap<string, ElementType>;

export type ElementTypes = (type: string) => TypeElements | undefined;

let loading: Promise<ElementTypes> | undefined;

/** Loads the elements of FHIR R4 on the first body in XML. */
export function elementTypes(): Promise<ElementTypes> {
  loading ??= load();
  return loading;
}

async function load(): Promise<ElementTypes> {
  const { R4_ELEMENTS } = await import('./r4-elements.js');
  const lines = gunzipSync(Buffer.from(R4_ELEMENTS, 'base64')).toString('utf8').split('\n');
  const rows = new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
  const parsed = new Map<string, TypeElements>();
  return (type) => {
    const known = parsed.get(type);
    if (known !== undefined) return known;
    const row = rows.get(type);
    if (row === undefined) return undefined;
    const elements = new Map(row.split(' ').map(elementOf));
    parsed.set(type, elements);
    return elements;
  };
}

/** Reads `given*string`, a list, or `family:string`, a single element. */
function elementOf(text: string): [string, ElementType] {
  const at = text.search(/[:*]/);
  return [text.slice(0, at), { type: text.slice(at + 1), isList: text.charAt(at) === '*' }];
}

/** True for a type with a value attribute, such as `date`; complex types begin with a capital letter. */
export const isPrimitive = (type: string): boolean => /^[a-z]/.test(type) && type !== 'xhtml';
