import type { ListWindow } from '../db/keyset.js';
import { DEFAULT_PAGE_LIMIT } from '../pagination/cursor.js';
import { instantOf } from '../time/rfc3339.js';

interface ListArguments {
  readonly limit?: number;
  readonly order?: 'asc' | 'desc';
  readonly cursor?: string;
  readonly from?: string;
  readonly to?: string;
}

type Given<T> = { readonly [Name in keyof T]?: NonNullable<T[Name]> };

/** The arguments of a list, already validated, as stores take them: the window, and the members to compare in `where`. */
export function listQueryOf<Args extends ListArguments>(
  args: Args,
): ListWindow & { readonly where: Given<Omit<Args, keyof ListArguments>> } {
  const { limit, order, cursor, from, to, ...filters } = args;
  return {
    limit: limit ?? DEFAULT_PAGE_LIMIT,
    order: order ?? 'desc',
    cursor: cursor ?? undefined,
    fromMs: instant(from),
    toMs: instant(to),
    where: present(filters),
  };
}

const instant = (text: string | undefined): number | undefined => (text == null ? undefined : instantOf(text));

/** Null counts as absent. */
function present<T extends object>(filters: T): Given<T> {
  const found: Given<T> = { ...filters };
  for (const name in found) if (found[name] == null) delete found[name];
  return found;
}

/** The names in a condition of a list: one, any of several, or none. */
export const namesIn = (value: string | null | undefined | readonly (string | null)[]): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
