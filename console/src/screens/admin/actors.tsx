import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { useText } from '../../text';
import { List, usePages } from '../../ui/list';
import { Badge, Deed, Field, Form, Panel } from '../../ui/parts';

export function Actors() {
  const { t } = useText();
  const { tenant } = useSigned();
  const [name, setName] = useState('');
  const [role, setRole] = useState('analyst');
  const pages = usePages(['actors'], (cursor) =>
    unwrap(api.GET('/v1/actors', { params: { query: cursor === undefined ? {} : { cursor } } })),
  );
  const create = async (): Promise<void> => {
    await unwrap(
      api.POST('/v1/actors', { body: { name, role_ids: [role], ...(tenant === null ? {} : { tenant_id: tenant }) } }),
    );
    setName('');
    await pages.refetch();
  };
  const step = (id: string, status: 'ACTIVE' | 'SUSPENDED') => async (): Promise<void> => {
    await unwrap(api.PATCH('/v1/actors/{id}', { params: { path: { id } }, body: { status } }));
    await pages.refetch();
  };
  return (
    <Panel title={t('People', 'Personas')}>
      <Form submit={t('Add the person', 'Añadir la persona')} onSubmit={create}>
        <div className="row">
          <Field label={t('Name of the person', 'Nombre de la persona')} value={name} onChange={setName} required />
          <Field
            label={t('Role of the person', 'Rol de la persona')}
            value={role}
            onChange={setRole}
            options={['analyst', 'auditor', 'integrator', 'legal', 'tenant-admin'].map((one) => [one, one] as const)}
          />
        </div>
      </Form>
      <List
        label={t('People', 'Personas')}
        pages={pages}
        keyOf={(actor) => actor.actor_id}
        empty={t(
          'Nobody yet. Add a person above, then bind a key to them.',
          'Nadie todavía. Añada una persona y vincúlele una clave.',
        )}
        columns={[
          [t('Name', 'Nombre'), (actor) => actor.name],
          [t('Identifier', 'Identificador'), (actor) => <code>{actor.actor_id}</code>],
          [t('Roles', 'Roles'), (actor) => actor.role_ids.join(', ')],
          [t('Status', 'Estado'), (actor) => <Badge>{actor.status}</Badge>],
          [
            t('Change', 'Cambiar'),
            (actor) =>
              actor.status === 'ACTIVE' ? (
                <Deed label={t('Suspend', 'Suspender')} run={step(actor.actor_id, 'SUSPENDED')} />
              ) : (
                <Deed label={t('Reactivate', 'Reactivar')} run={step(actor.actor_id, 'ACTIVE')} />
              ),
          ],
        ]}
      />
    </Panel>
  );
}
