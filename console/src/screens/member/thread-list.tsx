import { useMemo } from 'react';
import type { Api } from '../../api/client';
import { Link } from '../../router';
import { useText } from '../../text';
import { Badge, Panel, Time } from '../../ui/parts';
import { threadsOf } from './threads';

/** The conversations about this member's claims: request, claim, denial, appeal and payment of each, in order. */
export function ThreadList({ items }: { readonly items: readonly Api<'TimelineEntry'>[] }) {
  const { t } = useText();
  const threads = useMemo(() => threadsOf(items), [items]);
  if (threads.length === 0) return null;
  return (
    <Panel title={t('Claims and authorizations', 'Reclamaciones y autorizaciones')}>
      {threads.map(({ name, entries }) => (
        <section key={name} aria-label={name} data-thread={name}>
          <h3>{name}</h3>
          <ol className="steps">
            {entries.map((entry) => (
              <li key={entry.id}>
                <Time at={entry.at} /> · <Link to={`/events/${entry.id}`}>{entry.type ?? entry.id}</Link>{' '}
                <Badge>{entry.status}</Badge>
              </li>
            ))}
          </ol>
        </section>
      ))}
    </Panel>
  );
}
