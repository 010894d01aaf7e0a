import type { ClassType } from 'type-graphql';
import { amountText, centsOf } from '../../../../shared/event-keys/stated-amounts.js';
import { ContractField, type ContractFieldOptions } from '../../../../shared/graph/contract-field.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';

// A typed field over a place of the payload: one declaration gives the field of the graph and reads its value. A sender
// decides what a payload holds, so a value of another form is null.

type Read = (payload: JsonObject) => unknown;

const readers = new WeakMap<object, Map<string, Read>>();
const MAX_OF_LIST = 1_000;

interface Described {
  readonly description: string;
  readonly example?: JsonValue;
}

const text = (value: JsonValue | undefined): string | null => {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
};

function texts(value: JsonValue | undefined): readonly string[] {
  const all = Array.isArray(value) ? value : [value];
  return all.flatMap((one) => text(one) ?? []).slice(0, MAX_OF_LIST);
}

function amount(value: JsonValue | undefined): string | null {
  const cents = typeof value === 'string' || typeof value === 'number' ? centsOf(value) : null;
  return cents === null ? null : amountText(cents);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const day = (value: JsonValue | undefined): string | null =>
  typeof value === 'string' && DAY.test(value) ? value : null;

const NPI = /^\d{10}$/;
const npi = (value: JsonValue | undefined): string | null =>
  typeof value === 'string' && NPI.test(value) ? value : null;

/** Returns the value at a path such as `amounts.charge`. */
function valueAt(payload: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = payload;
  for (const name of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function declaring(
  type: Parameters<typeof ContractField>[0],
  options: ContractFieldOptions,
  path: string,
  read: (value: JsonValue | undefined) => unknown,
): PropertyDecorator {
  const declare = ContractField(type, options);
  return (prototype, name) => {
    const known = readers.get(prototype) ?? new Map<string, Read>();
    readers.set(
      prototype,
      known.set(String(name), (payload) => read(valueAt(payload, path))),
    );
    declare(prototype, name);
  };
}

/** A text, or a number as text; null if the payload has none at the path. */
export const PayloadText = (path: string, described: Described): PropertyDecorator =>
  declaring(() => String, { ...described, nullable: true }, path, text);

export const PayloadAmount = (path: string, described: Described): PropertyDecorator =>
  declaring(() => String, { ...described, scalar: 'Money', nullable: true }, path, amount);

export const PayloadDay = (path: string, described: Described): PropertyDecorator =>
  declaring(() => String, { ...described, format: 'date', nullable: true }, path, day);

export const PayloadNpi = (path: string, described: Described): PropertyDecorator =>
  declaring(() => String, { ...described, scalar: 'NPI', nullable: true }, path, npi);

/** The texts of a list, or one text; empty if the payload has none at the path. */
export const PayloadTexts = (path: string, described: Described): PropertyDecorator =>
  declaring(() => [String], described, path, texts);

/** The objects of a list. */
export const PayloadList = <Item extends object>(
  path: string,
  item: () => ClassType<Item>,
  described: Described,
): PropertyDecorator =>
  declaring(
    () => [item()],
    described,
    path,
    (value) =>
      (Array.isArray(value) ? value : [])
        .filter(isJsonObject)
        .slice(0, MAX_OF_LIST)
        .map((one) => payloadView(item(), one)),
  );

/** Reads the declared fields of a class from a payload. */
export function payloadView<View extends object>(type: ClassType<View>, payload: JsonObject): View {
  const read: Record<string, unknown> = {};
  for (let at: object | null = type.prototype; at !== null; at = Object.getPrototypeOf(at)) {
    for (const [name, reader] of readers.get(at) ?? []) read[name] = reader(payload);
  }
  // The decorators declare every member of the class.
  return read as View;
}
