import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useText } from '../text';
import { Empty, Problem, Skeleton } from './states';

interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor?: string | null;
}

/** The pages of a list of the API, read one after the other. */
export function usePages<T>(key: readonly unknown[], read: (cursor: string | undefined) => Promise<Page<T>>) {
  return useInfiniteQuery({
    queryKey: key,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => read(pageParam),
    getNextPageParam: (last: Page<T>) => last.next_cursor ?? undefined,
  });
}

export type Columns<T> = readonly (readonly [label: string, cell: (item: T) => ReactNode])[];

interface ListProps<T> {
  readonly label: string;
  readonly pages: UseInfiniteQueryResult<InfiniteData<Page<T>>>;
  readonly columns: Columns<T>;
  readonly keyOf: (item: T) => string;
  /** What to do where there is nothing. */
  readonly empty: ReactNode;
}

export function List<T>({ label, pages, columns, keyOf, empty }: ListProps<T>) {
  const { t } = useText();
  if (pages.isError) return <Problem error={pages.error} />;
  if (pages.data === undefined) return <Skeleton />;
  const items = pages.data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <Empty>{empty}</Empty>;
  return (
    <>
      <Table label={label} items={items} columns={columns} keyOf={keyOf} />
      {pages.hasNextPage && (
        <button type="button" disabled={pages.isFetching} onClick={() => void pages.fetchNextPage()}>
          {t('Show more', 'Mostrar más')}
        </button>
      )}
    </>
  );
}

interface TableProps<T> extends Pick<ListProps<T>, 'label' | 'columns' | 'keyOf'> {
  readonly items: readonly T[];
}

export function Table<T>({ label, items, columns, keyOf }: TableProps<T>) {
  const { t } = useText();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, by keyboard too.
    <section className="scroll" tabIndex={0} aria-label={t(`Table: ${label}`, `Tabla: ${label}`)}>
      <table>
        <thead>
          <tr>
            {columns.map(([name]) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)}>
              {columns.map(([name, cell]) => (
                <td key={name}>{cell(item)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
