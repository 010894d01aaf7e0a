import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { Link } from '../../router';
import { useText } from '../../text';
import { List, usePages } from '../../ui/list';
import { Badge, Field, Form, Panel, Time } from '../../ui/parts';

export default function Webhooks() {
  const { t } = useText();
  const pages = usePages(['webhooks'], (cursor) =>
    unwrap(api.GET('/v1/webhooks', { params: { query: cursor === undefined ? {} : { cursor } } })),
  );
  return (
    <>
      <h1>{t('Webhooks', 'Webhooks')}</h1>
      <NewWebhook onDone={() => void pages.refetch()} />
      <List
        label={t('Webhooks', 'Webhooks')}
        pages={pages}
        keyOf={(webhook) => webhook.webhook_id}
        empty={t('No webhook yet. Subscribe one above.', 'Todavía no hay webhooks. Suscriba uno arriba.')}
        columns={[
          ['URL', (webhook) => <Link to={`/webhooks/${webhook.webhook_id}`}>{webhook.url}</Link>],
          [t('Status', 'Estado'), (webhook) => <Badge>{webhook.status}</Badge>],
          [t('Events', 'Eventos'), (webhook) => webhook.event_types.join(', ')],
          [t('Last success', 'Último éxito'), (webhook) => <Time at={webhook.health.last_success_at} />],
        ]}
      />
    </>
  );
}

function NewWebhook({ onDone }: { readonly onDone: () => void }) {
  const { t } = useText();
  const [url, setUrl] = useState('');
  const [types, setTypes] = useState('*');
  const [secret, setSecret] = useState<string | null>(null);
  const create = async (): Promise<void> => {
    const event_types = types.split(/[\s,]+/).filter((type) => type !== '');
    const made = await unwrap(api.POST('/v1/webhooks', { body: { url, event_types } }));
    setSecret(made.secret);
    onDone();
  };
  return (
    <Panel title={t('Subscribe', 'Suscribir')}>
      <Form submit={t('Create the webhook', 'Crear el webhook')} onSubmit={create}>
        <div className="row">
          <Field label={t('Receiver', 'Receptor')} value={url} onChange={setUrl} type="url" required />
          <Field label={t('Event types', 'Tipos de evento')} value={types} onChange={setTypes} required />
        </div>
      </Form>
      {secret !== null && (
        <p role="status" className="note">
          {t('Secret, shown once:', 'Secreto, se muestra una vez:')} <code>{secret}</code>
        </p>
      )}
    </Panel>
  );
}
