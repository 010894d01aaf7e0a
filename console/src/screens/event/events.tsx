import { api, unwrap } from '../../api/client';
import { Link, refine, usePlace } from '../../router';
import { useText } from '../../text';
import { List, usePages } from '../../ui/list';
import { Badge, Field, Time } from '../../ui/parts';
import { SavedViews } from '../../ui/saved-views';

const FILTERS = ['member_id', 'source_system', 'event_type', 'outcome'] as const;

export default function Events() {
  const { t } = useText();
  const { query } = usePlace();
  const where = Object.fromEntries(FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])));
  const pages = usePages(['events', where], (cursor) =>
    unwrap(api.GET('/v1/events', { params: { query: { ...where, ...(cursor === undefined ? {} : { cursor }) } } })),
  );
  const labels = [t('Member', 'Afiliado'), t('Source', 'Origen'), t('Type', 'Tipo'), t('Outcome', 'Resultado')];
  return (
    <>
      <h1>{t('Events', 'Eventos')}</h1>
      <div className="row">
        {FILTERS.map((name, i) => (
          <Field
            key={name}
            label={labels[i] ?? name}
            value={query.get(name) ?? ''}
            onChange={(value) => refine({ [name]: value })}
          />
        ))}
      </div>
      <SavedViews screen="EVENTS" />
      <List
        label={t('Events', 'Eventos')}
        pages={pages}
        keyOf={(event) => event.event_id}
        empty={t(
          'No event fits. Remove a filter, or send one at Ingest.',
          'Ningún evento coincide. Quite un filtro o envíe uno en Ingesta.',
        )}
        columns={[
          [t('Type', 'Tipo'), (event) => <Link to={`/events/${event.event_id}`}>{event.event_type}</Link>],
          [
            t('Member', 'Afiliado'),
            (event) =>
              event.member_id ? (
                <Link to={`/members/${encodeURIComponent(event.member_id)}`}>{event.member_id}</Link>
              ) : (
                '—'
              ),
          ],
          [t('Outcome', 'Resultado'), (event) => <Badge>{event.outcome}</Badge>],
          [t('Took effect', 'Fecha de efecto'), (event) => <Time at={event.event_effective_timestamp} />],
          [t('Source', 'Origen'), (event) => event.source_system],
        ]}
      />
    </>
  );
}
