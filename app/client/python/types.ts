import type { Schema } from './contract.js';
import { isIdentifier, literal, pascal, wrapped } from './names.js';

/** Where a file finds the classes of models.py: '' in models.py itself, `m.` in the operations. */
type Prefix = '' | 'm.';

const SCALARS: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

/** Turns schemas into Python types, and collects a TypedDict for each object that has members. */
export class PythonTypes {
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #classes = new Map<string, readonly string[]>();
  /** Classes of objects without a name, so that an object that is used twice has one class. */
  readonly #nested = new Map<Schema, string>();

  constructor(schemas: Readonly<Record<string, Schema>>) {
    this.#schemas = schemas;
    for (const [name, schema] of Object.entries(schemas)) this.#define(name, schema);
  }

  /** The lines of all classes, in the order of their first use. */
  get classes(): readonly (readonly string[])[] {
    return [...this.#classes.values()];
  }

  /** @param hint names the class of an object without a name. */
  of(schema: Schema, hint: string, prefix: Prefix = ''): string {
    if (schema.$ref !== undefined) return `${prefix}${schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)}`;
    if (schema.enum) return `Literal[${schema.enum.map(constant).join(', ')}]`;
    if (schema.allOf) return this.#object(schema, hint, prefix);
    const choices = schema.properties ? undefined : (schema.anyOf ?? schema.oneOf);
    if (choices) return union(choices.map((choice, index) => this.of(choice, `${hint}${index + 1}`, prefix)));
    const types = typeof schema.type === 'object' ? schema.type : [schema.type ?? 'any'];
    return union(types.map((type) => this.#typed(type, schema, hint, prefix)));
  }

  /** The type of a page's items; undefined for an answer without `items`. */
  itemOf(page: Schema, hint: string): string | undefined {
    const items = this.#resolved(page).properties?.['items']?.items;
    return items && this.of(items, `${hint}ItemsItem`, 'm.');
  }

  #typed(type: string, schema: Schema, hint: string, prefix: Prefix): string {
    if (type === 'string' && schema.format === 'binary') return 'bytes';
    if (type === 'array') return `list[${schema.items ? this.of(schema.items, `${hint}Item`, prefix) : 'Any'}]`;
    if (type === 'object') return this.#object(schema, hint, prefix);
    return SCALARS[type] ?? 'Any';
  }

  #object(schema: Schema, hint: string, prefix: Prefix): string {
    if (schema.allOf || Object.keys(schema.properties ?? {}).length > 0) {
      const name = this.#nested.get(schema) ?? this.#define(this.#free(hint), schema);
      this.#nested.set(schema, name);
      return `${prefix}${name}`;
    }
    const values = schema.additionalProperties;
    return `dict[str, ${typeof values === 'object' ? this.of(values, `${hint}Value`, prefix) : 'Any'}]`;
  }

  /** A name that no class has: nested objects of two schemas may have one hint. */
  #free(hint: string): string {
    let name = hint;
    for (let n = 2; this.#classes.has(name) || name in this.#schemas; n += 1) name = `${hint}${n}`;
    return name;
  }

  /** One object of all parts of `allOf`. */
  #merged(schema: Schema): Schema {
    const parts = (schema.allOf ?? []).map((part) => this.#merged(this.#resolved(part)));
    const all = [...parts, schema];
    return {
      type: 'object',
      ...(schema.description === undefined ? {} : { description: schema.description }),
      properties: Object.assign({}, ...all.map(({ properties }) => properties ?? {})),
      required: [...new Set(all.flatMap(({ required }) => required ?? []))],
    };
  }

  #resolved(schema: Schema): Schema {
    const name = schema.$ref?.slice(schema.$ref.lastIndexOf('/') + 1);
    return name === undefined ? schema : (this.#schemas[name] ?? {});
  }

  #define(name: string, given: Schema): string {
    const schema = given.allOf ? this.#merged(given) : given;
    // Taken before its members are read: nested classes follow the one that uses them.
    this.#classes.set(name, []);
    const members = Object.entries(schema.properties ?? {});
    if (members.length === 0) {
      this.#classes.set(name, [`${name}: TypeAlias = ${literal(this.of(schema, name))}`]);
      return name;
    }
    const required = new Set(schema.required);
    const isRequired = ([member]: Member): boolean => required.has(member);
    const typed = members.map(
      ([member, type]): Member => [member, this.of(type, `${name}${pascal(member)}`), type.description],
    );
    this.#classes.set(
      name,
      classLines(
        name,
        schema,
        typed.filter(isRequired),
        typed.filter((it) => !isRequired(it)),
      ),
    );
    return name;
  }
}

type Member = readonly [name: string, type: string, description: string | undefined];

/** Python 3.10 has no NotRequired: required and optional members are two classes, and the second inherits the first. */
function classLines(
  name: string,
  { description }: Schema,
  required: readonly Member[],
  optional: readonly Member[],
): readonly string[] {
  const doc = description === undefined ? [] : [...docstring(description, '    ')];
  if ([...required, ...optional].some(([member]) => !isIdentifier(member))) {
    return [
      ...functional(`_${name}Required`, required, ''),
      ...functional(`_${name}Optional`, optional, ', total=False'),
      `class ${name}(_${name}Required, _${name}Optional):`,
      ...(doc.length > 0 ? doc : ['    pass']),
    ];
  }
  if (required.length === 0) return [`class ${name}(TypedDict, total=False):`, ...doc, ...fields(optional)];
  if (optional.length === 0) return [`class ${name}(TypedDict):`, ...doc, ...fields(required)];
  return [
    `class _${name}Required(TypedDict):`,
    ...fields(required),
    '',
    '',
    `class ${name}(_${name}Required, total=False):`,
    ...doc,
    ...fields(optional),
  ];
}

const fields = (members: readonly Member[]): readonly string[] =>
  members.flatMap(([name, type, description]) => [...comment(description), `    ${name}: ${type}`]);

/** For members with names that Python cannot hold. */
const functional = (name: string, members: readonly Member[], total: string): readonly string[] => [
  `${name} = TypedDict(`,
  `    ${literal(name)},`,
  '    {',
  ...members.flatMap(([member, type, description]) => [
    ...comment(description).map((line) => `    ${line}`),
    `        ${literal(member)}: ${literal(type)},`,
  ]),
  `    }${total},`,
  ')',
  '',
  '',
];

const comment = (description: string | undefined): readonly string[] =>
  description === undefined ? [] : wrapped(description, '    # ').map((line) => line.replaceAll('\\\\', '\\'));

/** A docstring of one paragraph. */
function docstring(text: string, indent: string): readonly string[] {
  const [first = '', ...rest] = wrapped(text, indent);
  // A quote at the end would close the docstring early.
  const end = text.endsWith('"') ? ' """' : '"""';
  const opened = `${indent}"""${first.slice(indent.length)}`;
  return rest.length === 0 ? [`${opened}${end}`] : [opened, ...rest, `${indent}"""`];
}

const constant = (value: string | number | boolean | null): string =>
  value === null
    ? 'None'
    : typeof value === 'string'
      ? literal(value)
      : value === true
        ? 'True'
        : value === false
          ? 'False'
          : String(value);

/** `X | None`, each choice once; Any holds all others. */
function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return distinct.includes('Any') ? 'Any' : distinct.join(' | ');
}
