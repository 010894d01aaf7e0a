import { isoTime } from '../clock/clock.js';
import { fieldsOf } from '../graph/contract-field.js';
import type { StoredMembers } from './stored.js';

type Shower = (value: unknown) => unknown;

/**
 * The mapping of rows to a graph type: the members that its class declares, times as RFC 3339 text, everything else left
 * out. Members of nested types are mapped alike.
 *
 * @param computed members that the row does not have.
 */
export function showing<
  Shown extends object,
  Row extends StoredMembers<Omit<Shown, keyof Computed>>,
  Computed extends Partial<Shown>,
>(type: new () => Shown, computed: (row: Row) => Computed): (row: Row) => Shown {
  const show = showerOf(type);
  // Every member of Shown comes from Row or from Computed, as the type parameters demand.
  return (row) => show({ ...row, ...computed(row) }) as Shown;
}

const showers = new WeakMap<object, Shower>();

function showerOf(type: { readonly prototype: object }): Shower {
  const known = showers.get(type);
  if (known) return known;
  const members = [...fieldsOf(type)].map(([name, field]) => [name, memberShower(field.type)] as const);
  const shower: Shower = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const given = new Map<string, unknown>(Object.entries(value));
    return Object.fromEntries(
      members.flatMap(([name, show]) => (given.has(name) ? [[name, show(given.get(name))]] : [])),
    );
  };
  showers.set(type, shower);
  return shower;
}

/** Resolved at first use: types may refer to each other. */
function memberShower(type: () => unknown): Shower {
  let nested: Shower | null | undefined;
  const nestedOf = (): Shower | null => {
    const declared = type();
    const bare: unknown = Array.isArray(declared) ? declared[0] : declared;
    const isClass = typeof bare === 'function' && fieldsOf({ prototype: bare.prototype }).size > 0;
    return isClass ? showerOf(bare) : null;
  };
  const show: Shower = (value) => {
    if (value instanceof Date) return isoTime(value.getTime());
    if (Array.isArray(value)) return value.map(show);
    nested ??= nestedOf();
    return nested ? nested(value) : value;
  };
  return show;
}
