import fc from 'fast-check';
import { fitting, resolved, type Schema, type Schemas } from './schema-arbitrary.js';

/** An invalid value and its fault. */
export interface Unfit {
  readonly why: string;
  readonly value: unknown;
}

/**
 * Values that break one rule of the schema each: a required member left out, an unknown one, a wrong type, a limit
 * passed. Undefined where the schema allows everything.
 */
export function unfitting(schema: Schema, schemas: Schemas): fc.Arbitrary<Unfit> | undefined {
  const it = resolved(schema, schemas);
  if (it.anyOf) return undefined;
  const breaks = [wrongType(it), ...objectBreaks(it, schemas), ...limitBreaks(it)].filter((one) => one !== undefined);
  return breaks.length === 0 ? undefined : fc.oneof(...breaks);
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  null: null,
  boolean: true,
  integer: 7,
  number: 0.5,
  string: 'text',
  array: [],
  object: {},
};

function wrongType(schema: Schema): fc.Arbitrary<Unfit> | undefined {
  const types = schema.type === undefined ? undefined : [schema.type].flat();
  if (!types) return undefined;
  const taken = new Set(types.includes('number') ? [...types, 'integer'] : types);
  const others = Object.entries(SAMPLES).filter(([type]) => !taken.has(type));
  return fc.constantFrom(...others).map(([type, value]) => ({ why: `${type} for ${types.join('|')}`, value }));
}

function limitBreaks(schema: Schema): (fc.Arbitrary<Unfit> | undefined)[] {
  const one = (why: string, value: unknown) => fc.constant({ why, value });
  const { maximum, minimum, maxLength, minLength = 0, maxItems } = schema;
  return [
    schema.enum && !schema.enum.includes('no such word') ? one('a word that is not listed', 'no such word') : undefined,
    maximum === undefined ? undefined : one('over the maximum', maximum + 1),
    minimum === undefined ? undefined : one('under the minimum', minimum - 1),
    maxLength === undefined || maxLength > 10_000 ? undefined : one('too long', 'x'.repeat(maxLength + 1)),
    minLength === 0 ? undefined : one('too short', 'x'.repeat(minLength - 1)),
    schema.format === 'date-time' ? one('no time', '2026-13-45T99:00:00Z') : undefined,
    maxItems === undefined || maxItems > 1_000
      ? undefined
      : one(
          'too many',
          Array.from({ length: maxItems + 1 }, (_, index) => `member-${index}`),
        ),
  ];
}

function objectBreaks(schema: Schema, schemas: Schemas): (fc.Arbitrary<Unfit> | undefined)[] {
  if (schema.properties === undefined) return [];
  const whole = fitting(schema, schemas) as fc.Arbitrary<Record<string, unknown>>;
  const without = (schema.required ?? []).map((name) =>
    whole.map(({ [name]: _, ...rest }) => ({ why: `${name} left out`, value: rest })),
  );
  const broken = Object.entries(schema.properties).map(([name, member]) => {
    const bad = unfitting(member, schemas);
    return (
      bad &&
      fc
        .tuple(whole, bad)
        .map(([rest, { why, value }]) => ({ why: `${name}: ${why}`, value: { ...rest, [name]: value } }))
    );
  });
  const unknown =
    schema.additionalProperties === false
      ? whole.map((rest) => ({ why: 'an unknown member', value: { ...rest, no_such_member: 1 } }))
      : undefined;
  return [...without, ...broken, unknown];
}
