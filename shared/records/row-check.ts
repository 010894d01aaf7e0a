import { type DeclaredField, fieldsOf } from '../graph/contract-field.js';

// Rows are checked before they are written: an unknown member, a missing one or one of a wrong type is an error of the
// program, and must not reach the database.

/** @throws TypeError that names the member and never its value. */
export type RowCheck = (row: object) => void;

type Test = (value: unknown) => boolean;

const TESTS = {
  text: (value: unknown) => typeof value === 'string',
  number: (value: unknown) => typeof value === 'number' && Number.isFinite(value),
  flag: (value: unknown) => typeof value === 'boolean',
  time: (value: unknown) => value instanceof Date && !Number.isNaN(value.getTime()),
  bytes: (value: unknown) => value instanceof Uint8Array,
  json: (value: unknown) => value !== undefined,
} as const satisfies Record<string, Test>;

/** Form of a member that only the row has; a question mark allows null. */
type OwnForm = keyof typeof TESTS | `${keyof typeof TESTS}?`;

interface RowShape<Shown> {
  /** Members that only the row has, or that it stores in another form. */
  readonly own?: Readonly<Record<string, OwnForm>>;
  /** Own members that may be absent. */
  readonly optional?: readonly string[];
  /** Members of the class that the row does not have. */
  readonly omitted?: readonly (keyof Shown & string)[];
}

/** The check of a row against the class of its graph type. */
export function rowCheckOf<Shown extends object>(
  type: new () => Shown,
  { own = {}, optional = [], omitted = [] }: RowShape<Shown> = {},
): RowCheck {
  const tests = new Map<string, Test>();
  const left = new Set<string>([...omitted, 'allowed_actions']);
  for (const [name, field] of fieldsOf(type)) if (!left.has(name)) tests.set(name, testOf(name, field));
  for (const [name, form] of Object.entries(own)) tests.set(name, testOfForm(form));
  return (row) => {
    const values = new Map<string, unknown>(Object.entries(row));
    for (const name of values.keys())
      if (!tests.has(name)) throw new TypeError(`unknown member ${name} of a ${type.name}`);
    for (const [name, test] of tests) {
      if (optional.includes(name) && !values.has(name)) continue;
      if (!test(values.get(name))) throw new TypeError(`member ${name} of a ${type.name} has a wrong type`);
    }
  };
}

function testOfForm(form: OwnForm): Test {
  const isNullable = form.endsWith('?');
  // A form is a name of TESTS, with or without the question mark.
  const test = TESTS[(isNullable ? form.slice(0, -1) : form) as keyof typeof TESTS];
  return (value) => (isNullable && value === null) || test(value);
}

function testOf(name: string, { type, options }: DeclaredField): Test {
  const declared: unknown = type();
  const isList = Array.isArray(declared);
  const item = testOfType(isList ? declared[0] : declared, name, options.format);
  const test: Test = isList ? (value) => Array.isArray(value) && value.every(item) : item;
  return (value) =>
    (value === undefined && options.optional === true) || (value === null && options.nullable === true) || test(value);
}

/** Words of TESTS by the name of the graph's scalar or JavaScript's class. */
const TEST_BY_TYPE: Readonly<Record<string, Test>> = {
  String: TESTS.text,
  Int: TESTS.number,
  Float: TESTS.number,
  SafeInteger: TESTS.number,
  Number: TESTS.number,
  Boolean: TESTS.flag,
};

function testOfType(type: unknown, name: string, format: string | undefined): Test {
  if (format === 'date-time' && (name === 'at' || name.endsWith('_at'))) return TESTS.time;
  const typeName = nameOf(type);
  return TEST_BY_TYPE[typeName] ?? TESTS.json;
}

const nameOf = (type: unknown): string =>
  (typeof type === 'function' || (typeof type === 'object' && type !== null)) && 'name' in type
    ? String(type.name)
    : '';
