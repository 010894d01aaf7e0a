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
  const [email, setEmail] = useState('');
  const pages = usePages(['actors'], (cursor) =>
    unwrap(api.GET('/v1/actors', { params: { query: cursor === undefined ? {} : { cursor } } })),
  );
  const create = async (): Promise<void> => {
    const person = email.trim() === '' ? {} : { email: email.trim() };
    const of = tenant === null ? {} : { tenant_id: tenant };
    await unwrap(api.POST('/v1/actors', { body: { name, role_ids: [role], ...person, ...of } }));
    setName('');
    setEmail('');
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
          <Field
            label={t('E-mail address at the sign-in provider', 'Correo en el proveedor de identidad')}
            type="email"
            value={email}
            onChange={setEmail}
          />
        </div>
      </Form>
      <List
        label={t('People', 'Personas')}
        pages={pages}
        keyOf={(actor) => actor.actor_id}
        empty={t(
          'Nobody yet. Add a person above. They sign in by their e-mail address, or with a key that is bound to them.',
          'Nadie todavía. Añada una persona. Entra con su correo, o con una clave que se le vincule.',
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
