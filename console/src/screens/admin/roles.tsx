import { useState } from 'react';
import { type Api, api, unwrap } from '../../api/client';
import { useNames } from '../../api/names';
import { useText } from '../../text';
import { List, usePages } from '../../ui/list';
import { Deed, Field, Form, Panel } from '../../ui/parts';

export function Roles() {
  const { t } = useText();
  const names = useNames();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState('');
  const pages = usePages(['roles'], (cursor) =>
    unwrap(api.GET('/v1/roles', { params: { query: cursor === undefined ? {} : { cursor } } })),
  );
  const create = async (): Promise<void> => {
    const words = scopes.split(/[\s,]+/).filter((scope) => scope !== '');
    // The service checks the names, and its error says which one is unknown.
    const body = { name, scopes: words as Api<'RoleInput'>['scopes'] };
    await unwrap(api.POST('/v1/roles', { body }));
    setName('');
    setScopes('');
    await pages.refetch();
  };
  const remove = (id: string) => async (): Promise<void> => {
    await unwrap(api.DELETE('/v1/roles/{id}', { params: { path: { id } } }));
    await pages.refetch();
  };
  return (
    <Panel title={t('Roles', 'Roles')}>
      <Form submit={t('Create the role', 'Crear el rol')} onSubmit={create}>
        <div className="row">
          <Field label={t('Name of the new role', 'Nombre del rol nuevo')} value={name} onChange={setName} required />
          <Field
            label={t('Scopes of the new role', 'Permisos del rol nuevo')}
            value={scopes}
            onChange={setScopes}
            hint="events:read documents:read"
            required
          />
        </div>
      </Form>
      <List
        label={t('Roles', 'Roles')}
        pages={pages}
        keyOf={(role) => role.role_id}
        empty={t('No role.', 'Ningún rol.')}
        columns={[
          [t('Name', 'Nombre'), (role) => role.name],
          [t('Scopes', 'Permisos'), (role) => role.scopes.join(', ')],
          [
            t('Made by', 'Creado por'),
            (role) =>
              role.built_in ? t('the service', 'el servicio') : (names.get(role.created_by ?? '') ?? role.created_by),
          ],
          [
            t('Change', 'Cambiar'),
            (role) =>
              role.built_in ? null : <Deed label={t('Delete the role', 'Borrar el rol')} run={remove(role.role_id)} />,
          ],
        ]}
      />
    </Panel>
  );
}
