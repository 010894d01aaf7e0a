import type { operations } from '../../../../client/schema';
import { api, unwrap } from '../../api/client';
import { Link, refine, usePlace } from '../../router';
import { useText } from '../../text';
import { FilterField } from '../../ui/filter-field';
import { List, usePages } from '../../ui/list';
import { Badge, Field, Time } from '../../ui/parts';
import { SavedViews } from '../../ui/saved-views';

const FILTERS = [
  'member_id',
  'source_system',
  'event_type',
  'outcome',
  'code',
  'provider',
  'program',
  'claim',
] as const satisfies readonly (keyof Query)[];

type Query = NonNullable<operations['listEvents']['parameters']['query']>;

export default function Events() {
  const { t } = useText();
  const { query } = usePlace();
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  const where = {
    ...Object.fromEntries(FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : []))),
    ...(from === '' ? {} : { from: `${from}T00:00:00Z` }),
    ...(to === '' ? {} : { to: `${to}T00:00:00Z` }),
  };
  const pages = usePages(['events', where], (cursor) =>
    unwrap(api.GET('/v1/events', { params: { query: { ...where, ...(cursor === undefined ? {} : { cursor }) } } })),
  );
  const labels: Readonly<Record<(typeof FILTERS)[number], string>> = {
    member_id: t('Member', 'Afiliado'),
    source_system: t('Source', 'Origen'),
    event_type: t('Type', 'Tipo'),
    outcome: t('Outcome', 'Resultado'),
    code: t('Code, carc:50 for example', 'Código, por ejemplo carc:50'),
    provider: t('Provider, npi:… for example', 'Proveedor, por ejemplo npi:…'),
    program: t('Program', 'Programa'),
    claim: t('Claim', 'Reclamación'),
  };
  return (
    <>
      <h1>{t('Events', 'Eventos')}</h1>
      <div className="row">
        {FILTERS.map((name) => (
          <FilterField
            key={name}
            label={labels[name]}
            value={query.get(name) ?? ''}
            onApply={(value) => refine({ [name]: value })}
          />
        ))}
        <Field
          label={t('From the day', 'Desde el día')}
          type="date"
          value={from}
          onChange={(day) => refine({ from: day })}
        />
        <Field label={t('To the day', 'Hasta el día')} type="date" value={to} onChange={(day) => refine({ to: day })} />
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
