import { getMetadataStorage } from 'type-graphql';

type Extensions = Readonly<Record<string, unknown>>;
interface Entry {
  readonly target: object;
  readonly fieldName?: string;
  readonly extensions: Extensions;
}

/** What of type-graphql's storage is touched here. */
interface Storage {
  readonly fieldExtensions: readonly Entry[];
  readonly classExtensions: readonly Entry[];
  build(this: Storage, options: unknown): void;
  findExtensions(this: Storage, target: object, fieldName?: string): Extensions;
}

const indexed = new WeakSet<object>();

/**
 * type-graphql looks for a field's extensions among those of all fields of all classes, which grows with the square of the
 * graph: four seconds in a test that loads the sources. This finds them by the field's name. type-graphql builds from
 * copies of its storage, so the change is made on their prototype.
 */
export function indexExtensions(): void {
  // type-graphql does not export the type of its storage.
  const prototype = Object.getPrototypeOf(getMetadataStorage()) as Storage;
  if (indexed.has(prototype)) return;
  indexed.add(prototype);
  const { build } = prototype;
  const byField = new WeakMap<Storage, ReadonlyMap<string, readonly Entry[]>>();
  prototype.build = function (options) {
    byField.delete(this);
    build.call(this, options);
  };
  prototype.findExtensions = function (target, fieldName) {
    // Made within a build, which sets the order.
    const known = byField.get(this) ?? entriesByField(this.fieldExtensions);
    byField.set(this, known);
    const entries = fieldName ? (known.get(fieldName) ?? []) : this.classExtensions;
    const found = entries.filter((entry) => entry.target === target || descends.call(entry.target, target));
    return Object.assign({}, ...found.map(({ extensions }) => extensions));
  };
}

const descends = Object.prototype.isPrototypeOf;

function entriesByField(entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const byField = new Map<string, Entry[]>();
  for (const entry of entries) {
    const name = entry.fieldName ?? '';
    const known = byField.get(name);
    if (known) known.push(entry);
    else byField.set(name, [entry]);
  }
  return byField;
}
