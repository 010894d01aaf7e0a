import type { JsonSchema } from '../../shared/graph/json-schema.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/json/strict-json.js';

/** The schemas of the contract, by name. */
type Schemas = Readonly<Record<string, JsonSchema>>;

const REFERENCE = '#/components/schemas/';
const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-03-02T14:11:09.000Z',
  date: '2026-03-02',
  uri: 'https://plan.example/evidence',
};
const HASH_NAME = /hash|sha256|^root|^seed$/;
const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const TEXT = 'text';
const DEFAULT_NUMBER = 1;

/** The place of a schema: the schemas that it is part of, and the field that it describes. */
interface Place {
  readonly within: readonly string[];
  readonly name: string;
}

const TOP: Place = { within: [], name: '' };

/**
 * Derives examples from schemas and the examples of their fields, so that an answer and its parts never disagree. A text
 * without an example has the one of a field of the same name elsewhere in the contract.
 */
export class Examples {
  readonly #schemas: Schemas;
  readonly #byName = new Map<string, string>();

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
    for (const { properties } of Object.values(schemas)) this.#learn(properties);
  }

  /** @returns undefined if the schema contains itself here; the caller leaves the part out */
  of(schema: JsonSchema, place: Place = TOP): JsonValue | undefined {
    const given = givenIn(schema);
    if (given !== undefined) return given;
    const { $ref: reference } = schema;
    if (typeof reference === 'string') return this.#referenced(reference, place);
    const parts = objectsIn(schema['allOf']);
    if (parts.length > 0) return this.#joined(parts, place);
    const variant = objectsIn(schema['anyOf']).find(({ type }) => type !== 'null');
    if (variant !== undefined) return this.of(variant, place);
    const type = [schema['type']].flat().find((name) => name !== 'null');
    if (type === 'object') return this.#object(schema, place);
    if (type === 'array') return this.#array(schema, place);
    return type === 'string' ? this.#text(schema, place) : scalarOf(schema, type);
  }

  #learn(properties: JsonValue | undefined): void {
    for (const [name, field] of Object.entries(isJsonObject(properties) ? properties : {})) {
      const given = isJsonObject(field) && field['enum'] === undefined ? givenIn(field) : undefined;
      if (typeof given === 'string' && !this.#byName.has(name)) this.#byName.set(name, given);
    }
  }

  #referenced(reference: string, { within, name }: Place): JsonValue | undefined {
    const of = reference.slice(REFERENCE.length);
    const schema = this.#schemas[of];
    if (schema === undefined) throw new Error(`the contract has no schema ${reference}`);
    return within.includes(of) ? undefined : this.of(schema, { within: [...within, of], name });
  }

  /** An optional field of a part without a name, such as the warnings of a free-form body, is absent most of the time. */
  #joined(parts: readonly JsonObject[], place: Place): JsonObject {
    const values = parts.map((part) => {
      const value = this.of(part, place);
      if (!isJsonObject(value) || part['$ref'] !== undefined) return value;
      const required = [part['required']].flat();
      return Object.fromEntries(Object.entries(value).filter(([name]) => required.includes(name)));
    });
    return Object.assign({}, ...values.filter(isJsonObject));
  }

  #object({ properties }: JsonSchema, { within }: Place): JsonObject {
    const fields = isJsonObject(properties) ? Object.entries(properties) : [];
    return Object.fromEntries(
      fields.flatMap(([name, field]) => {
        const value = isJsonObject(field) ? this.of(field, { within, name }) : undefined;
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }

  #array({ items }: JsonSchema, place: Place): JsonValue[] {
    const item = isJsonObject(items) ? this.of(items, place) : undefined;
    return item === undefined ? [] : [item];
  }

  #text({ format }: JsonSchema, { name }: Place): string {
    return BY_FORMAT[String(format)] ?? this.#byName.get(name) ?? (HASH_NAME.test(name) ? HASH : TEXT);
  }
}

/** What the schema itself says: its example, its only value, its first value. */
function givenIn({ example, examples, const: only, enum: values }: JsonSchema): JsonValue | undefined {
  if (example !== undefined) return example;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (only !== undefined) return only;
  return Array.isArray(values) ? values[0] : undefined;
}

function scalarOf({ minimum, maximum }: JsonSchema, type: JsonValue | undefined): JsonValue {
  if (type === 'boolean') return true;
  // A schema without a type allows any value: the data of a sender.
  if (type !== 'integer' && type !== 'number') return {};
  const least = typeof minimum === 'number' ? Math.max(minimum, DEFAULT_NUMBER) : DEFAULT_NUMBER;
  return typeof maximum === 'number' ? Math.min(least, maximum) : least;
}

const objectsIn = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
