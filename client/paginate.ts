import type { ApiClient } from './client.js';
import { unwrap } from './errors.js';
import type { paths } from './schema.js';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor?: string | null;
}

type AnswerOf<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Answer } } } };
}
  ? Answer
  : never;

/** The paths of all lists: `items` and `next_cursor` in the answer. A path without an answer is `never`, which extends all. */
export type ListPath = {
  [Path in keyof paths]: [AnswerOf<Path>] extends [never]
    ? never
    : AnswerOf<Path> extends { items: unknown[]; next_cursor?: string | null }
      ? Path
      : never;
}[keyof paths];

export type ItemOf<Path extends ListPath> = AnswerOf<Path> extends { items: (infer Item)[] } ? Item : never;

type ParametersOf<Path extends ListPath> = paths[Path] extends { get: { parameters: infer P } } ? P : never;

/** Filters and path parameters of a list; the cursor is the iterator's. */
export type ListParameters<Path extends ListPath> = Omit<ParametersOf<Path>, 'cookie'>;

/**
 * Iterates over all items of a list, page by page: `for await (const event of paginate(client, '/v1/events'))`.
 *
 * @param params filters (`query`) and `path`; `query.limit` sets the size of a page.
 * @throws ApiError
 */
export async function* paginate<Path extends ListPath>(
  client: ApiClient,
  path: Path,
  params: { readonly query?: object; readonly path?: object } & Partial<ListParameters<Path>> = {},
): AsyncGenerator<ItemOf<Path>, void, undefined> {
  let cursor: string | null | undefined;
  do {
    const query = { ...params.query, ...(cursor ? { cursor } : {}) };
    // TypeScript cannot relate the parameters of an open `Path`; the caller's types have checked them.
    const page = (await unwrap(client.GET(path, { params: { ...params, query } } as never))) as Page<ItemOf<Path>>;
    yield* page.items;
    cursor = page.next_cursor;
  } while (cursor);
}
