import { useQuery } from '@tanstack/react-query';
import { type DragEvent, useState } from 'react';
import { type Api, api, readJson, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { go, Link } from '../../router';
import { useText } from '../../text';
import { Table } from '../../ui/list';
import { Badge, Deed, Panel, Time } from '../../ui/parts';
import { Empty, Loaded } from '../../ui/states';
import { SendRaw } from './send-raw';

export default function Ingest() {
  const { t } = useText();
  const { may } = useSigned();
  return (
    <>
      <h1>{t('Ingest', 'Ingesta')}</h1>
      {may('events:write') && <Drop />}
      {may('feeds:read') && <Feeds />}
      {may('connectors:read') && <Connectors />}
    </>
  );
}

interface Taken {
  readonly name: string;
  readonly bytes: ArrayBuffer;
  readonly text: string;
}

/** A JSON object with an event type is an event; anything else is a raw message whose format the service finds out. */
function envelopeIn(text: string): Api<'EventEnvelope'> | null {
  try {
    const value: unknown = JSON.parse(text);
    // The service checks it against the contract: that is what validation is for.
    return typeof value === 'object' && value !== null && 'event_type' in value
      ? (value as Api<'EventEnvelope'>)
      : null;
  } catch {
    return null;
  }
}

function Drop() {
  const { t } = useText();
  const [taken, setTaken] = useState<Taken | null>(null);
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const bytes = await file.arrayBuffer();
    setTaken({ name: file.name, bytes, text: new TextDecoder().decode(bytes) });
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    void take(event.dataTransfer.files[0]);
  };
  return (
    <Panel title={t('Send a file', 'Enviar un archivo')}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the input inside does the same by keyboard. */}
      <div className="drop" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
        <label htmlFor="ingest-file">
          {t(
            'Drop a file here, or choose one: X12, HL7 v2, FHIR, NCPDP, or an event in JSON.',
            'Suelte un archivo o elija uno: X12, HL7 v2, FHIR, NCPDP o un evento en JSON.',
          )}
        </label>{' '}
        <input id="ingest-file" type="file" onChange={(event) => void take(event.target.files?.[0])} />
      </div>
      {taken && <Send key={taken.name} taken={taken} />}
    </Panel>
  );
}

function Send({ taken }: { readonly taken: Taken }) {
  const { t } = useText();
  const envelope = envelopeIn(taken.text);
  return (
    <>
      <h3>{taken.name}</h3>
      <pre>{taken.text.slice(0, 2_000)}</pre>
      {envelope ? <SendEvent envelope={envelope} /> : <SendRaw bytes={taken.bytes} />}
      <p className="quiet">
        {t('Sending the same file again adds nothing.', 'Enviar el mismo archivo otra vez no añade nada.')}
      </p>
    </>
  );
}

function SendEvent({ envelope }: { readonly envelope: Api<'EventEnvelope'> }) {
  const { t } = useText();
  const [checked, setChecked] = useState<Api<'EventValidation'> | null>(null);
  const validate = async (): Promise<void> =>
    setChecked(await unwrap(api.POST('/v1/events/validate', { body: envelope })));
  const send = async (): Promise<void> => {
    const body = JSON.stringify(envelope);
    const made = await readJson<'IngestResult'>('/v1/events', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    go(`/events/${made.event_id}`);
  };
  return (
    <>
      <Deed label={t('Validate', 'Validar')} run={validate} />
      <Deed strong label={t('Send', 'Enviar')} disabled={checked?.valid !== true} run={send} />
      {checked && (
        <div role="status" className={checked.valid ? 'note good' : 'problem'}>
          {checked.valid
            ? t('Valid: it would become one event.', 'Válido: sería un evento.')
            : t('Not valid:', 'No válido:')}
          <ul>
            {checked.errors.map((fault) => (
              <li key={fault.path}>
                <code>{fault.path}</code> {fault.message}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function Feeds() {
  const { t } = useText();
  const feeds = useQuery({
    queryKey: ['feeds'],
    queryFn: () => unwrap(api.GET('/v1/source-feeds', { params: { query: {} } })),
  });
  return (
    <Panel title={t('Feeds', 'Fuentes')}>
      <Loaded query={feeds} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              {t(
                'No feed is registered, so silence is not noticed.',
                'Ninguna fuente registrada: el silencio no se detecta.',
              )}
            </Empty>
          ) : (
            <Table
              label={t('Feeds', 'Fuentes')}
              items={items}
              keyOf={(feed) => feed.feed_id}
              columns={[
                [
                  t('Source', 'Origen'),
                  (feed) => (
                    <Link to={`/events?source_system=${encodeURIComponent(feed.source_system)}`}>
                      {feed.source_system}
                    </Link>
                  ),
                ],
                [t('Status', 'Estado'), (feed) => <Badge>{feed.status}</Badge>],
                [t('Last event', 'Último evento'), (feed) => <Time at={feed.last_event_at} />],
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Connectors() {
  const { t } = useText();
  const connectors = useQuery({
    queryKey: ['connectors'],
    queryFn: () => unwrap(api.GET('/v1/connectors', { params: { query: {} } })),
  });
  return (
    <Panel title={t('Connectors', 'Conectores')}>
      <Loaded query={connectors} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>{t('No connector receives messages.', 'Ningún conector recibe mensajes.')}</Empty>
          ) : (
            <ul>
              {items.map((connector) => (
                <li key={connector.connector_id}>
                  {connector.name} <Badge>{connector.status}</Badge>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
