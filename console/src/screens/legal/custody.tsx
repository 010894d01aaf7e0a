import { useQuery } from '@tanstack/react-query';
import { type Api, api, unwrap } from '../../api/client';
import { useNames } from '../../api/names';
import { Link, refine, usePlace } from '../../router';
import { useText } from '../../text';
import { FilterField } from '../../ui/filter-field';
import { type Columns, List, Table, usePages } from '../../ui/list';
import { Deed, Panel, Time } from '../../ui/parts';
import { Empty, Loaded } from '../../ui/states';

type Act = Api<'CustodyEntry'>;

const PLACES: Readonly<Record<string, string>> = {
  EVENT: 'events',
  DOCUMENT: 'documents',
  BUNDLE: 'bundles',
  MEMBER: 'members',
  HOLD: 'holds',
};

function Subject({ subject }: { readonly subject: Act['subject'] }) {
  const place = PLACES[subject.kind];
  const text = `${subject.kind} ${subject.id}`;
  return place ? <Link to={`/${place}/${encodeURIComponent(subject.id)}`}>{text}</Link> : text;
}

/** A person or key by name where it is known; the identifier leads to all its acts. */
function Who({ actor, names }: { readonly actor: Act['actor']; readonly names: ReadonlyMap<string, string> }) {
  const name = names.get(actor.id);
  return (
    <Link to={`/custody?actor_id=${encodeURIComponent(actor.id)}`} title={actor.id}>
      {name ?? `${actor.type} ${actor.id}`}
    </Link>
  );
}

function useColumns(): Columns<Act> {
  const { t } = useText();
  const names = useNames();
  return [
    [t('When', 'Cuándo'), (act) => <Time at={act.at} />],
    [t('Act', 'Acto'), (act) => act.action],
    [t('What', 'Qué'), (act) => <Subject subject={act.subject} />],
    [t('Who', 'Quién'), (act) => <Who actor={act.actor} names={names} />],
    [t('Purpose', 'Finalidad'), (act) => act.purpose ?? '—'],
    [t('Recipient', 'Destinatario'), (act) => act.recipient ?? '—'],
  ];
}

export function CustodyOf({
  kind,
  id,
}: {
  readonly kind: 'EVENT' | 'DOCUMENT' | 'BUNDLE' | 'MEMBER' | 'HOLD';
  readonly id: string;
}) {
  const { t } = useText();
  const columns = useColumns();
  const acts = useQuery({
    queryKey: ['custody-of', kind, id],
    queryFn: () => unwrap(api.GET('/v1/custody', { params: { query: { subject_kind: kind, subject_id: id } } })),
  });
  return (
    <Panel title={t('Custody', 'Custodia')}>
      <Loaded query={acts} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>{t('Nobody has read or exported its content.', 'Nadie ha leído ni exportado su contenido.')}</Empty>
          ) : (
            <Table label={t('Custody', 'Custodia')} items={items} columns={columns} keyOf={(act) => act.custody_id} />
          )
        }
      </Loaded>
    </Panel>
  );
}

const FILTERS = ['subject_id', 'actor_id'] as const;

export default function CustodyScreen() {
  const { t } = useText();
  const { query } = usePlace();
  const columns = useColumns();
  const where = Object.fromEntries(FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])));
  const pages = usePages(['custody', where], (cursor) =>
    unwrap(api.GET('/v1/custody', { params: { query: { ...where, ...(cursor === undefined ? {} : { cursor }) } } })),
  );
  return (
    <>
      <h1>{t('Custody', 'Custodia')}</h1>
      <Chain />
      <div className="row">
        <FilterField
          label={t('Only about this identifier', 'Solo sobre este identificador')}
          value={query.get('subject_id') ?? ''}
          onApply={(value) => refine({ subject_id: value })}
        />
        <FilterField
          label={t('Only by this person or key', 'Solo de esta persona o clave')}
          value={query.get('actor_id') ?? ''}
          onApply={(value) => refine({ actor_id: value })}
        />
      </div>
      <List
        label={t('Acts of custody', 'Actos de custodia')}
        pages={pages}
        columns={columns}
        keyOf={(act) => act.custody_id}
        empty={t(
          'No act yet. Reading a timeline or downloading a bundle makes one.',
          'Ningún acto todavía. Leer una cronología o descargar un expediente crea uno.',
        )}
      />
    </>
  );
}

function Chain() {
  const { t } = useText();
  const verdict = useQuery({
    queryKey: ['verify-custody'],
    enabled: false,
    queryFn: () => unwrap(api.GET('/v1/custody/verify', { params: { query: {} } })),
  });
  return (
    <Panel
      title={t('The chain of custody', 'La cadena de custodia')}
      actions={<Deed label={t('Verify it', 'Verificarla')} run={() => verdict.refetch({ throwOnError: true })} />}
    >
      {verdict.data !== undefined && (
        <p role="status" className={verdict.data.valid ? 'note good' : 'problem'}>
          {verdict.data.valid
            ? t('The chain verifies.', 'La cadena es válida.')
            : t('The chain does not verify.', 'La cadena no es válida.')}
        </p>
      )}
    </Panel>
  );
}
