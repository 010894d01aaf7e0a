import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { useText } from '../../text';
import { List, usePages } from '../../ui/list';
import { Badge, Deed, Field, Form, Panel, Time } from '../../ui/parts';

const ROLES = ['analyst', 'auditor', 'integrator', 'legal', 'tenant-admin'];

export function Keys() {
  const { t } = useText();
  const [shown, setShown] = useState<string | null>(null);
  const pages = usePages(['api-keys'], (cursor) =>
    unwrap(api.GET('/v1/api-keys', { params: { query: cursor === undefined ? {} : { cursor } } })),
  );
  const made = (key: string): void => {
    setShown(key);
    void pages.refetch();
  };
  const rotate = (id: string) => async (): Promise<void> =>
    made((await unwrap(api.POST('/v1/api-keys/{id}/rotate', { params: { path: { id } }, body: {} }))).api_key);
  const revoke = (id: string) => async (): Promise<void> => {
    await unwrap(api.DELETE('/v1/api-keys/{id}', { params: { path: { id } } }));
    await pages.refetch();
  };
  return (
    <Panel title={t('API keys', 'Claves de API')}>
      <NewKey onMade={made} />
      {shown !== null && (
        <p role="status" className="note">
          {t('The key, shown once:', 'La clave, se muestra una vez:')} <code>{shown}</code>
        </p>
      )}
      <List
        label={t('API keys', 'Claves de API')}
        pages={pages}
        keyOf={(key) => key.key_id}
        empty={t('No key yet. Create one above.', 'Ninguna clave todavía. Cree una arriba.')}
        columns={[
          [t('Name', 'Nombre'), (key) => key.name],
          [t('Status', 'Estado'), (key) => <Badge>{key.status}</Badge>],
          [t('May', 'Puede'), (key) => [...key.role_ids, ...key.scopes].join(', ')],
          [t('Last use', 'Último uso'), (key) => <Time at={key.last_used_at} />],
          [
            t('Change', 'Cambiar'),
            (key) => (
              <>
                {key.status === 'ACTIVE' && <Deed label={t('Rotate', 'Rotar')} run={rotate(key.key_id)} />}
                {key.status !== 'REVOKED' && <Deed label={t('Revoke', 'Revocar')} run={revoke(key.key_id)} />}
              </>
            ),
          ],
        ]}
      />
    </Panel>
  );
}

function NewKey({ onMade }: { readonly onMade: (key: string) => void }) {
  const { t } = useText();
  const { tenant } = useSigned();
  const [name, setName] = useState('');
  const [role, setRole] = useState('analyst');
  const [actor, setActor] = useState('');
  const create = async (): Promise<void> => {
    const bound = actor.trim() === '' ? {} : { actor_id: actor.trim() };
    const body = { name, role_ids: [role], ...bound, ...(tenant === null ? {} : { tenant_id: tenant }) };
    onMade((await unwrap(api.POST('/v1/api-keys', { body }))).api_key);
    setName('');
  };
  return (
    <Form submit={t('Create the key', 'Crear la clave')} onSubmit={create}>
      <div className="row">
        <Field label={t('Name of the key', 'Nombre de la clave')} value={name} onChange={setName} required />
        <Field
          label={t('Role of the key', 'Rol de la clave')}
          value={role}
          onChange={setRole}
          options={ROLES.map((one) => [one, one] as const)}
        />
        <Field
          label={t('Person it is bound to (act_…)', 'Persona a la que se vincula (act_…)')}
          value={actor}
          onChange={setActor}
        />
      </div>
    </Form>
  );
}
