import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useMemo, useRef } from 'react';
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
    queryFn: ({ pageParam }) => filledPage(read, pageParam),
    getNextPageParam: (last: Page<T>) => last.next_cursor ?? undefined,
  });
}

/** A page with conditions can be empty although the list has more pages (docs/conventions.md): reads on to rows or the end. */
async function filledPage<T>(
  read: (cursor: string | undefined) => Promise<Page<T>>,
  cursor: string | undefined,
): Promise<Page<T>> {
  let page = await read(cursor);
  while (page.items.length === 0 && page.next_cursor) page = await read(page.next_cursor);
  return page;
}

export type Columns<T> = readonly (readonly [label: string, cell: (item: T) => ReactNode])[];

interface ListProps<T> {
  readonly label: string;
  readonly pages: UseInfiniteQueryResult<InfiniteData<Page<T>>>;
  readonly columns: Columns<T>;
  readonly keyOf: (item: T) => string;
  /** What to do where there is nothing. */
  readonly empty: ReactNode;
  /** Key of the row at which the reader is. */
  readonly marked?: string | undefined;
}

export function List<T>({ label, pages, columns, keyOf, empty, marked }: ListProps<T>) {
  const { t } = useText();
  const items = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data]);
  if (pages.data === undefined) return pages.isError ? <Problem error={pages.error} /> : <Skeleton />;
  if (items.length === 0) return <Empty>{empty}</Empty>;
  return (
    <>
      {pages.isError && <Problem error={pages.error} />}
      <Table label={label} items={items} columns={columns} keyOf={keyOf} marked={marked} />
      {pages.hasNextPage && (
        <button type="button" disabled={pages.isFetching} onClick={() => void pages.fetchNextPage()}>
          {t('Show more', 'Mostrar más')}
        </button>
      )}
    </>
  );
}

interface TableProps<T> extends Pick<ListProps<T>, 'label' | 'columns' | 'keyOf' | 'marked'> {
  readonly items: readonly T[];
}

/** Tables with more rows have only those in view in the page. */
const MAX_PLAIN_ROWS = 200;
/** Height of a row of a long table, in styles/ too: to measure rows costs a pass over all of them for each one. */
const ROW_PX = 45;
const OVERSCAN_ROWS = 10;

export function Table<T>(props: TableProps<T>) {
  return props.items.length > MAX_PLAIN_ROWS ? <LongTable {...props} /> : <PlainTable {...props} />;
}

function PlainTable<T>({ label, items, columns, keyOf, marked }: TableProps<T>) {
  const { t } = useText();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, by keyboard too.
    <section className="scroll" tabIndex={0} aria-label={t(`Table: ${label}`, `Tabla: ${label}`)}>
      <table>
        <Head columns={columns} />
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)} data-row={keyOf(item)} className={marked === keyOf(item) ? 'marked' : ''}>
              <Cells item={item} columns={columns} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function LongTable<T>({ label, items, columns, keyOf, marked }: TableProps<T>) {
  const { t } = useText();
  const viewport = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => viewport.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN_ROWS,
  });
  const shown = rows.getVirtualItems();
  const before = shown[0]?.start ?? 0;
  const after = rows.getTotalSize() - (shown.at(-1)?.end ?? 0);
  const at = marked === undefined ? -1 : items.findIndex((item) => keyOf(item) === marked);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view follows the mark, not the scrolling.
  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(at);
  }, [at]);
  return (
    <section
      ref={viewport}
      className="scroll viewport"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long table scrolls, by keyboard too.
      tabIndex={0}
      aria-label={t(`Table: ${label}`, `Tabla: ${label}`)}
    >
      <table className="long" aria-rowcount={items.length + 1}>
        <Head columns={columns} />
        <tbody>
          <Gap height={before} columns={columns.length} />
          {shown.map(({ index }) => {
            const item = items[index];
            if (item === undefined) return null;
            const key = keyOf(item);
            return (
              <tr key={key} data-row={key} aria-rowindex={index + 2} className={marked === key ? 'marked' : ''}>
                <LongCells item={item} columns={columns} />
              </tr>
            );
          })}
          <Gap height={after} columns={columns.length} />
        </tbody>
      </table>
    </section>
  );
}

/** The cells of a row that stays in view while others scroll in and out. React's memo loses the type parameter. */
const LongCells = memo(Cells) as typeof Cells;

/** The space of the rows that are not in the page. */
const Gap = ({ height, columns }: { readonly height: number; readonly columns: number }) =>
  height > 0 ? (
    <tr className="gap">
      <td colSpan={columns} style={{ height }} />
    </tr>
  ) : null;

const Head = <T,>({ columns }: { readonly columns: Columns<T> }) => (
  <thead>
    <tr>
      {columns.map(([name]) => (
        <th key={name} scope="col">
          {name}
        </th>
      ))}
    </tr>
  </thead>
);

function Cells<T>({ item, columns }: { readonly item: T; readonly columns: Columns<T> }) {
  return (
    <>
      {columns.map(([name, cell]) => (
        <td key={name}>{cell(item)}</td>
      ))}
    </>
  );
}
