import { isIdOf } from '../../../shared/ids/ids.js';
import { DEFAULT_PAGE_LIMIT, decodeCursor, encodeCursor, type Page } from '../../../shared/pagination/cursor.js';
import type { IngestAnswer, IngestRow, IngestStore } from './ports.js';

/** The answer to a raw message, or null. */
export function readIngest(store: IngestStore, ingestId: string): Promise<IngestAnswer | null> {
  return isIdOf('ingest', ingestId) ? store.find(ingestId) : Promise.resolve(null);
}

/** All rows of a raw message in reading order, or null for an unknown ingest. The cursor is page and offset. */
export async function readIngestRows(
  store: IngestStore,
  ingestId: string,
  input: { readonly limit?: number; readonly cursor?: string },
): Promise<Page<IngestRow> | null> {
  const answer = await readIngest(store, ingestId);
  if (!answer) return null;
  // A few rows have no page: the answer contains them.
  const answered = [...answer.results].sort((a, b) => a.index - b.index);
  const pageOf = async (page: number): Promise<readonly IngestRow[] | null> =>
    (await store.page(ingestId, page)) ?? (page === 0 && !answer.results_truncated ? answered : null);
  const { limit = DEFAULT_PAGE_LIMIT, cursor } = input;
  let { page, offset } = cursor === undefined ? { page: 0, offset: 0 } : placeOf(cursor);
  const items: IngestRow[] = [];
  for (;;) {
    const rows = await pageOf(page);
    if (!rows) return { items, next_cursor: null };
    const taken = rows.slice(offset, offset + limit - items.length);
    items.push(...taken);
    offset += taken.length;
    if (offset < rows.length) return { items, next_cursor: encodeCursor({ atMs: page, id: String(offset) }) };
    page++;
    offset = 0;
    if (items.length < limit) continue;
    const more = await pageOf(page);
    return { items, next_cursor: more ? encodeCursor({ atMs: page, id: '0' }) : null };
  }
}

function placeOf(cursor: string): { page: number; offset: number } {
  const { atMs, id } = decodeCursor(cursor);
  const offset = Number(id);
  return { page: Math.max(0, atMs), offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0 };
}
