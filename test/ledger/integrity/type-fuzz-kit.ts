import type { Collection, Document } from 'mongodb';
import { seeded } from '../../support/random.js';

/** A value of another type in one field of a stored row. */
export interface Harm {
  readonly path: string;
  /** Name of the value. */
  readonly name: string;
  readonly value: unknown;
}

const REMOVED = Symbol('removed');

const VALUES: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a text', 'text'],
  ['an empty text', ''],
  ['a number', 7],
  ['a negative number', -1],
  ['a fraction', 2.5],
  ['a huge number', 1e308],
  ['infinity', Number.POSITIVE_INFINITY],
  ['not a number', Number.NaN],
  ['true', true],
  ['a date', new Date(0)],
  ['an invalid date', new Date(Number.NaN)],
  ['a list', ['a', 1]],
  ['an empty list', []],
  ['an object', { toString: 1, constructor: null }],
  ['bytes', Buffer.from([1, 2, 3])],
  ['nothing', REMOVED],
];

const isGroup = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Every field of a row by its dotted path, groups included. */
function pathsOf(row: Document, prefix = ''): readonly string[] {
  return Object.entries(row).flatMap(([name, value]) =>
    isGroup(value) ? [`${prefix}${name}`, ...pathsOf(value, `${prefix}${name}.`)] : [`${prefix}${name}`],
  );
}

const at = (row: Document, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isGroup(value) ? value[name] : undefined), row);

const textOf = (value: unknown): string => `${Object.prototype.toString.call(value)} ${JSON.stringify(value)}`;

/** Each field with each value, and with the value of another row; values that change nothing are left out. */
export function harmsOf(row: Document, other: Document): readonly Harm[] {
  return pathsOf(row).flatMap((path) =>
    [...VALUES, ['the value of another row', at(other, path)] as const]
      .filter(([, value]) => value !== undefined && textOf(value) !== textOf(at(row, path)))
      .map(([name, value]) => ({ path, name, value })),
  );
}

/** The row with the harm done; its identity may be another one. */
function harmed(row: Document, { path, value }: Harm): Document {
  const [name = '', ...rest] = path.split('.');
  const { [name]: before, ...others } = row;
  if (rest.length > 0)
    return { ...row, [name]: harmed(isGroup(before) ? before : {}, { path: rest.join('.'), name, value }) };
  return value === REMOVED ? others : { ...row, [name]: value };
}

/** Does the harm, runs the check, and restores the row. */
export async function whileHarmed(
  rows: Collection<Document>,
  row: Document,
  harm: Harm,
  check: () => Promise<void>,
): Promise<void> {
  const { _id, ...members } = harmed(row, harm);
  await rows.deleteOne({ _id: row['_id'] });
  // A list is no identity that the database accepts.
  const isInserted = await rows.insertOne({ ...(_id === undefined ? {} : { _id }), ...members }).catch(() => null);
  try {
    await check();
  } finally {
    if (isInserted) await rows.deleteOne({ _id: isInserted.insertedId });
    await rows.insertOne(row);
  }
}

/** Harms that verification once did not name: they are part of every sample. */
const ALWAYS: ReadonlySet<string> = new Set([
  '_id: a text',
  'incarnation: a number',
  'member_id: an object',
  'source_id: an object',
  'target_id: an object',
]);

/** A seeded sample without repetition; a new seed gives another one. */
export function sampled(harms: readonly Harm[], count: number, seed: number): readonly Harm[] {
  const random = seeded(seed);
  const isAlways = ({ path, name }: Harm): boolean => ALWAYS.has(`${path}: ${name}`);
  const ordered = harms.map((harm) => ({ harm, order: random() })).sort((a, b) => a.order - b.order);
  return ordered.filter(({ harm }, i) => i < count || isAlways(harm)).map(({ harm }) => harm);
}
