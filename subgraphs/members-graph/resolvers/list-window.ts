import type { ListWindow } from '../../../shared/db/keyset.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { DEFAULT_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';

interface WindowArgs {
  readonly limit?: number;
  readonly order?: 'asc' | 'desc';
  readonly from?: string;
  readonly to?: string;
}

/** The arguments of a list as its service takes them. */
export function windowed<T extends WindowArgs>(filter: T) {
  const { from, to, limit = DEFAULT_PAGE_LIMIT, order = 'desc', ...rest } = withoutNulls(filter);
  const window: Pick<ListWindow, 'limit' | 'order' | 'fromMs' | 'toMs'> = {
    limit,
    order,
    fromMs: from === undefined ? undefined : instantOf(from),
    toMs: to === undefined ? undefined : instantOf(to),
  };
  return { ...rest, ...window };
}
