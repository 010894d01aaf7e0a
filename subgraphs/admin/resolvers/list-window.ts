import type { ListWindow } from '../../../shared/db/keyset.js';
import { DEFAULT_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import type { NamedListFilter } from '../schema/named-list-filter.js';

const instant = (text: string | undefined): number | undefined => (text == null ? undefined : instantOf(text));

/** Arguments of a list, already held to their contract, as services take them; null counts as absent. */
export const listWindowOf = (args: NamedListFilter): ListWindow & { readonly name: string | undefined } => ({
  limit: args.limit ?? DEFAULT_PAGE_LIMIT,
  order: args.order ?? 'desc',
  cursor: args.cursor ?? undefined,
  fromMs: instant(args.from),
  toMs: instant(args.to),
  name: args.name ?? undefined,
});

/** An input's members that have a value: null for what may be absent counts as absent. */
export const withoutNulls = <T extends object>(input: T): T =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value != null)) as T;

export type Given<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that were given: in a patch null is a value, and what is absent is not there. */
export const given = <T extends object>(input: T): Given<T> =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Given<T>;
