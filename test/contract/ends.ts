import fc from 'fast-check';
import { fitting, resolved, type Schema, type Schemas } from './schema-arbitrary.js';

/** A value at one end of a bound, and its place in a body. */
export interface End {
  readonly path: readonly string[];
  readonly why: string;
  readonly value: unknown;
}

/** Not the identifier in the paths of these requests. */
const LETTER = 'z';
const MAX_TEXT = 100_000;
const MAX_ITEMS = 1_000;
const MAX_DEPTH = 2;

/** Both ends of every bounded number, text and list of a schema: the last values that it accepts. */
export function endsOf(schema: Schema, schemas: Schemas, seed: number, path: readonly string[] = []): readonly End[] {
  const it = resolved(schema, schemas);
  const own = valuesOf(it, schemas, seed).map(([why, value]) => ({ path, why, value }));
  if (it.properties === undefined || path.length >= MAX_DEPTH) return own;
  return [
    ...own,
    ...Object.entries(it.properties).flatMap(([name, member]) => endsOf(member, schemas, seed, [...path, name])),
  ];
}

function valuesOf(schema: Schema, schemas: Schemas, seed: number): readonly (readonly [string, unknown])[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, items = {} } = schema;
  const found: (readonly [string, unknown])[] = [];
  if (schema.enum !== undefined) return found;
  if (minimum !== undefined) found.push(['minimum', minimum]);
  if (maximum !== undefined) found.push(['maximum', maximum]);
  if (schema.pattern === undefined && schema.format === undefined) {
    if (minLength !== undefined) found.push(['minLength', LETTER.repeat(minLength)]);
    if (maxLength !== undefined && maxLength <= MAX_TEXT) found.push(['maxLength', LETTER.repeat(maxLength)]);
  }
  for (const [why, size] of [
    ['minItems', minItems],
    ['maxItems', maxItems],
  ] as const) {
    if (size === undefined || size > MAX_ITEMS) continue;
    const [one] = fc.sample(fitting(items, schemas), { numRuns: 1, seed });
    const list = Array.from({ length: size }, (_, i) => (isPlainText(items, schemas) ? `${LETTER}-${i}` : one));
    if (schema.uniqueItems !== true || new Set(list).size === list.length) found.push([why, list]);
  }
  return found;
}

function isPlainText(items: Schema, schemas: Schemas): boolean {
  const { type, pattern, format, enum: words } = resolved(items, schemas);
  return type === 'string' && pattern === undefined && format === undefined && words === undefined;
}

/** The body with the value at its place. Members on the way that the body lacks are made from the schema. */
export function withEnd(body: unknown, schema: Schema, schemas: Schemas, seed: number, { path, value }: End): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const it = resolved(schema, schemas);
  const given = isObject(body) ? body : (fc.sample(fitting(it, schemas), { numRuns: 1, seed })[0] as object);
  const inner = withEnd(Reflect.get(given, name), it.properties?.[name] ?? {}, schemas, seed, {
    path: rest,
    why: '',
    value,
  });
  return { ...given, [name]: inner };
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
