import { api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { useText } from '../../text';
import { List, usePages } from '../../ui/list';
import { Badge, Deed, Panel, Time } from '../../ui/parts';
import { Actors } from './actors';
import { Flags } from './flags';
import { Keys } from './keys';
import { Retention } from './retention';
import { Roles } from './roles';
import { SigningKeys } from './signing-keys';

export default function Admin() {
  const { t } = useText();
  const { may } = useSigned();
  return (
    <>
      <h1>{t('Admin', 'Administración')}</h1>
      <Keys />
      <Actors />
      <Roles />
      <Sessions />
      <SigningKeys />
      <Retention />
      {may('flags:read') && <Flags />}
    </>
  );
}

function Sessions() {
  const { t } = useText();
  const pages = usePages(['sessions'], (cursor) =>
    unwrap(api.GET('/v1/sessions', { params: { query: cursor === undefined ? {} : { cursor } } })),
  );
  const end = (id: string) => async (): Promise<void> => {
    await unwrap(api.DELETE('/v1/sessions/{id}', { params: { path: { id } } }));
    await pages.refetch();
  };
  return (
    <Panel title={t('Sessions', 'Sesiones')}>
      <List
        label={t('Sessions', 'Sesiones')}
        pages={pages}
        keyOf={(session) => session.session_id}
        empty={t('No session.', 'Ninguna sesión.')}
        columns={[
          [t('Key', 'Clave'), (session) => session.key_name ?? session.key_id],
          [t('Status', 'Estado'), (session) => <Badge>{session.status}</Badge>],
          [t('Address', 'Dirección'), (session) => session.address ?? '—'],
          [t('Opened', 'Abierta'), (session) => <Time at={session.created_at} />],
          [t('Last request', 'Última petición'), (session) => <Time at={session.last_seen_at} />],
          [
            t('End', 'Terminar'),
            (session) =>
              session.status === 'ACTIVE' ? <Deed label={t('End', 'Terminar')} run={end(session.session_id)} /> : null,
          ],
        ]}
      />
    </Panel>
  );
}
