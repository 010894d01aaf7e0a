import { isHash } from '../text/bytes.js';
import { isInstant, isZonedTime } from '../text/instants.js';

// Readers of parsed JSON that accept exactly the members they name (evidence.md section 5): a member that no reader knows
// would be signed, shown by other tools, and never checked.

/** A member is missing, unknown or invalid; the message says which and how. */
export class ShapeFault extends Error {}

type Members = Readonly<Record<string, unknown>>;
export type Read<T> = (at: string, value: unknown) => T;
type Readers<T> = { readonly [Name in keyof T]: Read<T[Name]> };

export const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function fail(at: string): never {
  throw new ShapeFault(`${at} is missing or has another form`);
}

const readerOf =
  <T>(is: (value: unknown) => value is T): Read<T> =>
  (at, value) =>
    is(value) ? value : fail(at);

export const text = readerOf((value) => typeof value === 'string');
export const hash = readerOf(isHash);
export const count = readerOf(isCount);
export const instant = readerOf(isInstant);
export const zonedTime = readerOf(isZonedTime);

export const oneOf = <T extends string>(...names: readonly T[]): Read<T> =>
  readerOf((value): value is T => names.some((name) => name === value));

export const orNull =
  <T>(read: Read<T>): Read<T | null> =>
  (at, value) =>
    value === null ? null : read(at, value);

export const list =
  <T>(item: Read<T>): Read<readonly T[]> =>
  (at, value) =>
    Array.isArray(value) ? value.map((one, i) => item(`${at}/${i}`, one)) : fail(at);

/** Reads an object of the required members, and of those optional ones that are present. */
export const object =
  <T extends object, O extends object = object>(
    required: Readers<T>,
    optional: Readers<O> = {} as Readers<O>,
  ): Read<T & Partial<O>> =>
  (at, value) => {
    if (!isObject(value)) return fail(at);
    const path = (name: string): string => (at === '' ? name : `${at}/${name}`);
    const read: Record<string, unknown> = {};
    for (const [name, reader] of Object.entries<Read<unknown>>(required)) read[name] = reader(path(name), value[name]);
    for (const [name, reader] of Object.entries<Read<unknown>>(optional))
      if (Object.hasOwn(value, name)) read[name] = reader(path(name), value[name]);
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(read, name));
    if (unknown !== undefined) throw new ShapeFault(`${path(unknown)} is a member that no bundle has`);
    // Each required member has been read, and each optional one that is present.
    return read as T & Partial<O>;
  };
