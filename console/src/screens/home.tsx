import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { type Api, api, readJson, unwrap } from '../api/client';
import { useSigned } from '../api/session';
import { Link } from '../router';
import { useText } from '../text';
import { Bars } from '../ui/bars';
import { Details, Panel, Time } from '../ui/parts';
import { Empty, Loaded } from '../ui/states';

const OwnNotices = lazy(() => import('./legal/own-notices'));

export default function Home() {
  const { t } = useText();
  const { may, caller, tenant } = useSigned();
  return (
    <>
      <h1>{t('Home', 'Inicio')}</h1>
      {caller.actor_id && tenant !== null && (
        <Suspense>
          <OwnNotices />
        </Suspense>
      )}
      {may('dashboard:read') ? (
        <Counters />
      ) : (
        <Empty>
          {t(
            'Your key does not show the dashboard. Choose a screen on the left.',
            'Su clave no muestra el panel. Elija una pantalla a la izquierda.',
          )}
        </Empty>
      )}
      {may('events:read') && <Integrity />}
      {may('feeds:read') && <Feeds />}
      {may('data-rights:read') && <DataRights />}
    </>
  );
}

const sum = (
  counts: readonly { readonly name?: string | null; readonly count: number }[],
  ...names: string[]
): number => counts.reduce((all, { name, count }) => all + (names.includes(name ?? '') ? count : 0), 0);

function Counters() {
  const { t } = useText();
  const dashboard = useQuery({ queryKey: ['dashboard'], queryFn: () => unwrap(api.GET('/v1/dashboard')) });
  return (
    <Loaded query={dashboard} lines={6}>
      {({ events, raw_ingests, exceptions, integrity }) => (
        <>
          <ul className="tiles">
            <li>
              <strong>{events.total}</strong> <Link to="/events">{t('events', 'eventos')}</Link>
            </li>
            <li>
              <strong>{sum(exceptions.by_status, 'OPEN', 'ASSIGNED')}</strong>
              <Link to="/exceptions">{t('open exceptions', 'excepciones abiertas')}</Link>
            </li>
            <li>
              <strong>{raw_ingests.total}</strong> <Link to="/ingest">{t('raw messages', 'mensajes recibidos')}</Link>
            </li>
            <li>
              <strong>{integrity.scrub.damaged}</strong> {t('damaged records found', 'registros dañados')}
            </li>
          </ul>
          <Panel title={t('Events a day', 'Eventos por día')}>
            <Bars items={events.by_day.slice(-14).map(({ date, count }) => ({ name: date, count }))} />
          </Panel>
          <Panel title={t('Background checks', 'Comprobaciones')}>
            <Details
              facts={[
                [t('Last scrub', 'Última revisión'), <Time key="s" at={integrity.scrub.finished_at} />],
                [t('Records checked', 'Registros revisados'), integrity.scrub.records],
                [t('Sealed segments', 'Segmentos sellados'), integrity.segments.sealed],
                [
                  t('Chains reconciled', 'Cadenas conciliadas'),
                  <Time key="r" at={integrity.reconciliation.passed_at} />,
                ],
              ]}
            />
          </Panel>
        </>
      )}
    </Loaded>
  );
}

function Integrity() {
  const { t } = useText();
  const latest = useQuery({
    queryKey: ['latest-checkpoint'],
    queryFn: async () => {
      const { items } = await unwrap(api.GET('/v1/ledger/checkpoints', { params: { query: { limit: 1 } } }));
      return items[0] ?? null;
    },
  });
  const verdict = useQuery({
    queryKey: ['ledger-verify'],
    enabled: false,
    queryFn: () => readJson<'AnchoredVerification'>('/v1/ledger/verify'),
  });
  return (
    <Panel
      title={t('Integrity', 'Integridad')}
      actions={
        <button type="button" disabled={verdict.isFetching} onClick={() => void verdict.refetch()}>
          {t('Verify the ledger now', 'Verificar el registro ahora')}
        </button>
      }
    >
      <Loaded query={latest} lines={2}>
        {(checkpoint) =>
          checkpoint === null ? (
            <Empty>
              {t(
                'No checkpoint yet. The first follows the first event within seconds.',
                'Todavía no hay punto de control. Sigue al primer evento en segundos.',
              )}
            </Empty>
          ) : (
            <Details
              facts={[
                [t('Last checkpoint', 'Último punto de control'), <Time key="t" at={checkpoint.published_at} />],
                [t('Entries in the tree', 'Entradas del árbol'), checkpoint.tree_size],
                [t('Root', 'Raíz'), <code key="r">{checkpoint.root_hash}</code>],
                [t('Witnesses', 'Testigos'), checkpoint.witnesses.join(', ') || '—'],
              ]}
            />
          )
        }
      </Loaded>
      {verdict.fetchStatus === 'idle' && verdict.status === 'pending' ? null : (
        <Loaded query={verdict} lines={1}>
          {(found) => <Verdict found={found} />}
        </Loaded>
      )}
    </Panel>
  );
}

function Verdict({ found: { verdict, anchors } }: { readonly found: Api<'AnchoredVerification'> }) {
  const { t } = useText();
  const said = {
    VALID: t(
      'The ledger verifies: chains, write-once copies, tree and checkpoints agree, also with a note outside of this machine.',
      'El registro es válido: cadenas, copias, árbol y puntos de control coinciden, también con una nota externa.',
    ),
    VALID_UNANCHORED: t(
      'The ledger verifies, but only notes on this machine agree. Run a witness, or keep a checkpoint elsewhere.',
      'El registro es válido, pero solo coinciden notas de esta máquina. Use un testigo o guarde un punto de control aparte.',
    ),
    INVALID: t(
      'The ledger does not verify. Open the exceptions for what broke.',
      'El registro no es válido. Consulte las excepciones.',
    ),
  };
  return (
    <>
      <p role="status" data-verdict={verdict} className={STYLE_OF_VERDICT[verdict]}>
        {said[verdict]}
      </p>
      <ul aria-label={t('Notes that agree', 'Notas que coinciden')}>
        {anchors.map((anchor) => (
          <li key={`${anchor.kind} ${anchor.name}`}>
            {anchor.name ?? anchor.kind}: {anchor.tree_size} {t('entries', 'entradas')}, <Time at={anchor.at} />
          </li>
        ))}
      </ul>
    </>
  );
}

const STYLE_OF_VERDICT = { VALID: 'note good', VALID_UNANCHORED: 'note', INVALID: 'problem' } as const;

function Feeds() {
  const { t } = useText();
  const stale = useQuery({
    queryKey: ['stale-feeds'],
    queryFn: () => unwrap(api.GET('/v1/source-feeds', { params: { query: { status: 'STALE' } } })),
  });
  return (
    <Panel title={t('Silent feeds', 'Fuentes en silencio')}>
      <Loaded query={stale} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              {t('Every feed that is registered is on time.', 'Todas las fuentes registradas están al día.')}
            </Empty>
          ) : (
            <ul>
              {items.map((feed) => (
                <li key={feed.feed_id}>
                  {feed.source_system} · {t('last event', 'último evento')} <Time at={feed.last_event_at} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function DataRights() {
  const { t } = useText();
  const requests = useQuery({
    queryKey: ['data-rights'],
    queryFn: () => unwrap(api.GET('/v1/data-rights', { params: { query: { limit: 100 } } })),
  });
  return (
    <Panel title={t('Overdue data rights requests', 'Solicitudes de derechos vencidas')}>
      <Loaded query={requests} lines={2}>
        {({ items }) => {
          const late = items.filter((item) => 'overdue' in item && item.overdue === true);
          return late.length === 0 ? (
            <Empty>
              {t('None of the last 100 requests is overdue.', 'Ninguna de las últimas 100 solicitudes está vencida.')}
            </Empty>
          ) : (
            <p>{late.length}</p>
          );
        }}
      </Loaded>
    </Panel>
  );
}
