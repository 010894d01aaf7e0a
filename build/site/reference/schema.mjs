import { code, escaped, prose, table } from './html.mjs';

const REFERENCE = '#/components/schemas/';
/** Bounds that a reader must keep, with their names. */
const BOUNDS = {
  minLength: 'at least %s characters',
  maxLength: 'at most %s characters',
  minItems: 'at least %s items',
  maxItems: 'at most %s items',
  minimum: 'at least %s',
  maximum: 'at most %s',
  pattern: 'matches %s',
};
const MIN_OF_JSON = [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
const VARIANTS = ['anyOf', 'oneOf'];

const nameOf = (reference) => reference.slice(REFERENCE.length);
export const schemaId = (name) => `schema-${name}`;

/** @returns the type of a schema as HTML; a named schema is a link to its table on the same page. */
export function typeOf(schema) {
  if (schema.$ref !== undefined)
    return `<a href="#${schemaId(nameOf(schema.$ref))}">${escaped(nameOf(schema.$ref))}</a>`;
  const variants = VARIANTS.flatMap((key) => schema[key] ?? []);
  if (variants.length > 0) return [...new Set(variants.map(typeOf))].join(' or ');
  if (schema.allOf !== undefined) return schema.allOf.map(typeOf).join(' and ');
  if (schema.items !== undefined) return `array of ${typeOf(schema.items)}`;
  const types = [schema.type ?? 'any value'].flat().join(' or ');
  return escaped(schema.format === undefined ? types : `${types} (${schema.format})`);
}

/** @returns description, allowed values and bounds of a schema as HTML. */
export function meaningOf(schema) {
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  const bounds = Object.entries(BOUNDS).filter(
    ([key]) => schema[key] !== undefined && !MIN_OF_JSON.includes(schema[key]),
  );
  return [
    prose(schema.description),
    values.length > 0 ? `One of ${values.map((value) => code(value)).join(', ')}.` : '',
    bounds.length > 0
      ? `Bounds: ${bounds.map(([key, text]) => text.replace('%s', () => code(schema[key]))).join(', ')}.`
      : '',
    schema.examples?.[0] === undefined ? '' : `Example: ${code(textOf(schema.examples[0]))}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

/** @returns the fields of a schema as a table; '' if it has none. */
export function fieldsTable(schema) {
  const rows = fieldsOf(schema, '');
  if (rows.length === 0) return '';
  return table(
    ['Field', 'Type', 'Meaning'],
    rows.map(({ name, field, isRequired }) => [
      `${code(name)}${isRequired ? ' <small>required</small>' : ''}`,
      typeOf(field),
      meaningOf(field),
    ]),
  );
}

/** Fields of a schema without a name belong to the table of the schema that has it: `errors[].pointer`. */
function fieldsOf(schema, prefix) {
  if (schema.items !== undefined) return fieldsOf(schema.items, `${prefix === '' ? '' : prefix.slice(0, -1)}[].`);
  const parts = [...(schema.allOf ?? []), ...VARIANTS.flatMap((key) => schema[key] ?? [])];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    { name: prefix + name, field, isRequired: schema.required?.includes(name) ?? false },
    ...fieldsOf(field, `${prefix}${name}.`),
  ]);
  const all = [...parts.flatMap((part) => fieldsOf(part, prefix)), ...own];
  return all.filter(({ name }, at) => all.findIndex((other) => other.name === name) === at);
}

/** @returns the names of all schemas that a part of the description uses, by itself or through another one. */
export function schemasUsed(part, schemas) {
  const used = new Set();
  const visit = (value) => {
    if (value === null || typeof value !== 'object') return;
    const { $ref: reference } = value;
    if (typeof reference === 'string' && reference.startsWith(REFERENCE) && !used.has(nameOf(reference))) {
      used.add(nameOf(reference));
      visit(schemas[nameOf(reference)]);
    }
    for (const child of Object.values(value)) visit(child);
  };
  visit(part);
  return [...used].sort();
}
