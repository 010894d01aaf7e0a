import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, api, unwrap } from '../../api/client';
import { useText } from '../../text';
import { List, usePages } from '../../ui/list';
import { Badge, Deed, Details, Field, Form, Panel, Time } from '../../ui/parts';
import { Loaded } from '../../ui/states';

export default function WebhookScreen({ id }: { readonly id: string }) {
  const { t } = useText();
  const webhook = useQuery({
    queryKey: ['webhook', id],
    queryFn: () => unwrap(api.GET('/v1/webhooks/{id}', { params: { path: { id } } })),
  });
  const deliveries = usePages(['deliveries', id], (cursor) =>
    unwrap(
      api.GET('/v1/webhooks/{id}/deliveries', {
        params: { path: { id }, query: cursor === undefined ? {} : { cursor } },
      }),
    ),
  );
  const reload = (): void => {
    void webhook.refetch();
    void deliveries.refetch();
  };
  const replay = (delivery_id: string) => async (): Promise<void> => {
    const params = { path: { id, delivery_id } };
    await unwrap(api.POST('/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver', { params, body: {} }));
    reload();
  };
  return (
    <Loaded query={webhook} lines={6}>
      {(found) => (
        <>
          <h1>{found.url}</h1>
          <Endpoint webhook={found} onDone={reload} />
          <Recover id={id} onDone={reload} />
          <Panel
            title={t('Deliveries', 'Entregas')}
            actions={<Deed label={t('Refresh', 'Actualizar')} run={() => deliveries.refetch()} />}
          >
            <List
              label={t('Deliveries', 'Entregas')}
              pages={deliveries}
              keyOf={(delivery) => delivery.delivery_id}
              empty={t(
                'Nothing was sent yet. Send a test message.',
                'Todavía no se envió nada. Envíe un mensaje de prueba.',
              )}
              columns={[
                [t('Type', 'Tipo'), (delivery) => delivery.type],
                [t('Status', 'Estado'), (delivery) => <Badge>{delivery.status}</Badge>],
                [t('Cause', 'Causa'), (delivery) => delivery.trigger],
                [t('Attempts', 'Intentos'), (delivery) => <Attempts attempts={delivery.attempts} />],
                [t('Created', 'Creada'), (delivery) => <Time at={delivery.created_at} />],
                [
                  t('Replay', 'Repetir'),
                  (delivery) => <Deed label={t('Replay', 'Repetir')} run={replay(delivery.delivery_id)} />,
                ],
              ]}
            />
          </Panel>
        </>
      )}
    </Loaded>
  );
}

/** The number of attempts; opened, the answer of each. */
function Attempts({ attempts }: { readonly attempts: readonly Api<'WebhookAttempt'>[] }) {
  if (attempts.length === 0) return '0';
  return (
    <details>
      <summary>{attempts.length}</summary>
      <ol>
        {attempts.map(({ at, status, error, duration_ms }) => (
          <li key={at}>
            <Time at={at} /> · {status ?? error ?? '—'} · {duration_ms} ms
          </li>
        ))}
      </ol>
    </details>
  );
}

function Endpoint({ webhook, onDone }: { readonly webhook: Api<'Webhook'>; readonly onDone: () => void }) {
  const { t } = useText();
  const params = { path: { id: webhook.webhook_id } };
  const test = async (): Promise<void> => {
    await unwrap(api.POST('/v1/webhooks/{id}/test', { params, body: {} }));
    onDone();
  };
  const step = (status: 'ACTIVE' | 'PAUSED') => async (): Promise<void> => {
    // The revision that was read: a change by another user in between is a conflict, and is shown.
    await unwrap(api.PATCH('/v1/webhooks/{id}', { params, body: { status, revision: webhook.revision } }));
    onDone();
  };
  return (
    <Panel title={t('Endpoint', 'Punto de entrega')} actions={<Badge>{webhook.status}</Badge>}>
      <Details
        facts={[
          [t('Event types', 'Tipos de evento'), webhook.event_types.join(', ')],
          [t('Failures in a row', 'Fallos seguidos'), webhook.health.consecutive_failures],
          [t('Last success', 'Último éxito'), <Time key="s" at={webhook.health.last_success_at} />],
          [t('Last failure', 'Último fallo'), <Time key="f" at={webhook.health.last_failure_at} />],
        ]}
      />
      <Deed strong label={t('Send a test message', 'Enviar mensaje de prueba')} run={test} />
      {webhook.status === 'ACTIVE' ? (
        <Deed label={t('Pause', 'Pausar')} run={step('PAUSED')} />
      ) : (
        <Deed label={t('Enable', 'Activar')} run={step('ACTIVE')} />
      )}
    </Panel>
  );
}

/** Resends undelivered messages of a period: first shows a count, then sends. */
function Recover({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const { t } = useText();
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const [count, setCount] = useState<number | null>(null);
  const recover = async (): Promise<void> => {
    const span = { since: `${since}T00:00:00Z`, until: `${until}T00:00:00Z`, dry_run: count === null };
    const made = await unwrap(api.POST('/v1/webhooks/{id}/recover', { params: { path: { id } }, body: span }));
    setCount(count === null ? made.count : null);
    if (count !== null) onDone();
  };
  return (
    <Panel title={t('Recover', 'Recuperar')}>
      <Form
        submit={
          count === null
            ? t('Count undelivered messages', 'Contar mensajes sin entregar')
            : t(`Resend ${count}`, `Reenviar ${count}`)
        }
        onSubmit={recover}
      >
        <div className="row">
          <Field label={t('From the day', 'Desde el día')} type="date" value={since} onChange={setSince} required />
          <Field label={t('To the day', 'Hasta el día')} type="date" value={until} onChange={setUntil} required />
        </div>
        {count !== null && (
          <p role="status">{t(`${count} messages were not delivered.`, `${count} mensajes sin entregar.`)}</p>
        )}
      </Form>
    </Panel>
  );
}
