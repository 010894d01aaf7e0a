type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** Null and undefined arguments mean "not given"; services know only the latter. */
export function withoutNulls<T extends object>(args: T): Present<T> {
  // The entries are those of T without the null ones.
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value != null)) as Present<T>;
}
