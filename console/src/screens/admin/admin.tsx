import { api, unwrap } from '../../api/client';
import { useText } from '../../text';
import { List, usePages } from '../../ui/list';
import { Badge, Deed, Panel, Time } from '../../ui/parts';
import { Actors } from './actors';
import { Keys } from './keys';
import { Retention } from './retention';

export default function Admin() {
  const { t } = useText();
  return (
    <>
      <h1>{t('Admin', 'Administración')}</h1>
      <Keys />
      <Actors />
      <Sessions />
      <SigningKeys />
      <Retention />
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

function SigningKeys() {
  const { t } = useText();
  const pages = usePages(['signing-keys'], (cursor) =>
    unwrap(api.GET('/v1/signing-keys', { params: { query: cursor === undefined ? {} : { cursor } } })),
  );
  const rotate = (purpose: 'BUNDLE' | 'CHECKPOINT' | 'SEGMENT') => async (): Promise<void> => {
    const made = await unwrap(api.POST('/v1/signing-keys', { body: { purpose } }));
    await unwrap(api.POST('/v1/signing-keys/{id}/activate', { params: { path: { id: made.key_id } }, body: {} }));
    await pages.refetch();
  };
  return (
    <Panel
      title={t('Signing keys', 'Claves de firma')}
      actions={<Deed label={t('Rotate the key of bundles', 'Rotar la clave de expedientes')} run={rotate('BUNDLE')} />}
    >
      <List
        label={t('Signing keys', 'Claves de firma')}
        pages={pages}
        keyOf={(key) => key.key_id}
        empty={t('No key yet. The first signature makes one.', 'Ninguna clave todavía. La primera firma crea una.')}
        columns={[
          [t('Purpose', 'Finalidad'), (key) => key.purpose],
          [t('Status', 'Estado'), (key) => <Badge>{key.status}</Badge>],
          [t('Thumbprint', 'Huella'), (key) => <code>{key.thumbprint}</code>],
          [t('Active since', 'Activa desde'), (key) => <Time at={key.activated_at} />],
        ]}
      />
    </Panel>
  );
}
