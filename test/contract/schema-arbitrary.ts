import fc from 'fast-check';

/** A schema of the OpenAPI document, as far as the document uses JSON Schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

export type Schemas = Readonly<Record<string, Schema>>;

export function resolved(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = schemas[name];
  if (!found) throw new Error(`the document has no schema ${name}`);
  return resolved(found, schemas);
}

const MAX_TEXT = 40;
const MAX_MEMBERS = 3;
const MAX_DEPTH = 5;

/** Values that fit the schema; they shrink towards the smallest. */
export function fitting(schema: Schema, schemas: Schemas, depth = 0): fc.Arbitrary<unknown> {
  const it = resolved(schema, schemas);
  if (it.enum) return fc.constantFrom(...it.enum);
  if (it.anyOf) return fc.oneof(...it.anyOf.map((one) => fitting(one, schemas, depth)));
  const types = it.type === undefined ? ['any'] : [it.type].flat();
  return fc.oneof(...types.map((type) => ofType(type, it, schemas, depth)));
}

function ofType(type: string, schema: Schema, schemas: Schemas, depth: number): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1) });
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1e6, noNaN: true });
    case 'string':
      return text(schema);
    case 'array':
      return list(schema, schemas, depth);
    case 'object':
      return object(schema, schemas, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function text(schema: Schema): fc.Arbitrary<string> {
  if (schema.pattern !== undefined) {
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
    const whole = new RegExp(schema.pattern);
    // The generator knows no assertions: made without them, judged with them.
    const matching = fc.stringMatching(new RegExp(schema.pattern.replaceAll(/\(\?[!=][^)]*\)/g, '')));
    return matching.filter((it) => it.length >= minLength && it.length <= maxLength && whole.test(it));
  }
  const time = { noInvalidDate: true, min: new Date('1990-01-01T00:00:00Z'), max: new Date('2035-01-01T00:00:00Z') };
  if (schema.format === 'date-time') return fc.date(time).map((date) => date.toISOString());
  if (schema.format === 'date') return fc.date(time).map((date) => date.toISOString().slice(0, 10));
  if (schema.format === 'uri') return fc.webUrl({ validSchemes: ['https'] });
  const minLength = schema.minLength ?? 0;
  const length = { minLength, maxLength: Math.max(minLength, Math.min(schema.maxLength ?? MAX_TEXT, MAX_TEXT)) };
  return fc.oneof(
    { weight: 3, arbitrary: fc.string({ ...length, unit: 'grapheme-ascii' }) },
    { weight: 1, arbitrary: fc.string({ ...length, unit: 'grapheme' }).filter((it) => it.length <= length.maxLength) },
  );
}

function list(schema: Schema, schemas: Schemas, depth: number): fc.Arbitrary<unknown[]> {
  const minLength = schema.minItems ?? 0;
  const most = depth >= MAX_DEPTH ? minLength : Math.min(schema.maxItems ?? MAX_MEMBERS, minLength + MAX_MEMBERS);
  const member = fitting(schema.items ?? {}, schemas, depth + 1);
  const length = { minLength, maxLength: most };
  return schema.uniqueItems
    ? fc.uniqueArray(member, { ...length, comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b) })
    : fc.array(member, length);
}

function object(schema: Schema, schemas: Schemas, depth: number): fc.Arbitrary<unknown> {
  const required = new Set(schema.required ?? []);
  const names = Object.keys(schema.properties ?? {}).filter((name) => depth < MAX_DEPTH || required.has(name));
  const members = Object.fromEntries(
    names.map((name) => [name, fitting(schema.properties?.[name] ?? {}, schemas, depth + 1)]),
  );
  return fc.record(members, { requiredKeys: names.filter((name) => required.has(name)), noNullPrototype: true });
}
