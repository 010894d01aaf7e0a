import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import type { Api } from '../../api/client';
import { Link } from '../../router';
import { useText } from '../../text';
import { Badge, Time } from '../../ui/parts';

type Entry = Api<'TimelineEntry'>;

const PLACES: Readonly<Record<string, string>> = {
  EVENT: 'events',
  DOCUMENT: 'documents',
  HOLD: 'holds',
  BUNDLE: 'bundles',
};
const ROW_PX = 64;

interface TimelineProps {
  readonly items: readonly Entry[];
  readonly more: (() => void) | null;
  readonly busy: boolean;
}

/** Only the rows in view are in the page, so that ten thousand scroll as easily as ten. */
export function TimelineList({ items, more, busy }: TimelineProps) {
  const { t } = useText();
  const viewport = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => viewport.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  return (
    <>
      <section
        ref={viewport}
        className="viewport"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the list scrolls, by keyboard too.
        tabIndex={0}
        aria-label={t('Records of the timeline', 'Registros de la cronología')}
      >
        <ol className="timeline" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const entry = items[index];
            return (
              entry && (
                <li
                  key={`${entry.kind} ${entry.id}`}
                  aria-setsize={items.length}
                  aria-posinset={index + 1}
                  style={{ position: 'absolute', top: start, height: ROW_PX, width: '100%', overflow: 'hidden' }}
                >
                  <Time at={entry.at} /> · {entry.kind} · <Record entry={entry} /> <Badge>{entry.status}</Badge>
                  <br />
                  <span className="quiet">{entry.source_system ?? ''}</span>
                </li>
              )
            );
          })}
        </ol>
      </section>
      <p className="row">
        <span className="quiet">{t(`${items.length} records read`, `${items.length} registros leídos`)}</span>
        {more && (
          <button type="button" disabled={busy} onClick={more}>
            {t('Read more', 'Leer más')}
          </button>
        )}
      </p>
    </>
  );
}

function Record({ entry }: { readonly entry: Entry }) {
  const place = PLACES[entry.kind];
  const text = entry.type ?? entry.id;
  return place ? <Link to={`/${place}/${entry.id}`}>{text}</Link> : text;
}
