import { useState } from 'react';
import { type Api, readJson } from '../../api/client';
import { go } from '../../router';
import { useText } from '../../text';
import { Table } from '../../ui/list';
import { Badge, Deed, Field } from '../../ui/parts';

interface SendRawProps {
  readonly bytes: ArrayBuffer;
}

/** Sends a raw message; first shows what it would become, where the user asks. */
export function SendRaw({ bytes }: SendRawProps) {
  const { t } = useText();
  const [source, setSource] = useState('');
  const [preview, setPreview] = useState<Api<'RawPreview'> | null>(null);
  const query = source.trim() === '' ? '' : `?source_system=${encodeURIComponent(source.trim())}`;
  const message = { method: 'POST', body: bytes, headers: { 'content-type': 'application/octet-stream' } };
  const validate = async (): Promise<void> =>
    setPreview(await readJson<'RawPreview'>(`/v1/ingest/raw/validate${query}`, message));
  const send = async (): Promise<void> => {
    const made = await readJson<'RawIngestResult'>(`/v1/ingest/raw${query}`, message);
    go(`/ingest/${made.ingest_id}`);
  };
  return (
    <>
      <Field
        label={t('Source system', 'Sistema de origen')}
        value={source}
        onChange={setSource}
        hint={t('Leave empty to take it from the message.', 'Vacío: se toma del mensaje.')}
      />
      <Deed label={t('Validate', 'Validar')} run={validate} />
      <Deed strong label={t('Send', 'Enviar')} run={send} />
      {preview !== null && <Preview preview={preview} />}
    </>
  );
}

function Preview({ preview }: { readonly preview: Api<'RawPreview'> }) {
  const { t } = useText();
  const { format, valid, rejected, results, exceptions, warnings } = preview;
  const isSound = rejected === 0 && exceptions.length === 0;
  return (
    <div data-preview={format}>
      <p role="status" className={isSound ? 'note good' : 'note'}>
        {t(
          `${format}: ${valid} would be events, ${rejected} would be rejected. Nothing is stored yet.`,
          `${format}: ${valid} serían eventos, ${rejected} se rechazarían. Todavía no se guarda nada.`,
        )}
      </p>
      {warnings.map((warning) => (
        <p key={`${warning.code} ${warning.message}`} className="note">
          {warning.message}
        </p>
      ))}
      {results.length > 0 && (
        <Table
          label={t('What the file would become', 'En qué se convertiría el archivo')}
          items={results}
          keyOf={(row) => String(row.index)}
          columns={[
            [t('Row', 'Fila'), (row) => row.index],
            [t('Status', 'Estado'), (row) => <Badge>{row.status}</Badge>],
            [t('Record', 'Registro'), (row) => row.source_record_id ?? row.item ?? '—'],
            [t('Event', 'Evento'), (row) => <Event event={row.event} />],
            [t('Error', 'Error'), (row) => row.error?.message ?? '—'],
          ]}
        />
      )}
    </div>
  );
}

/** The fields of an event, folded. */
function Event({ event }: { readonly event: unknown }) {
  if (event === undefined) return '—';
  const type = typeof event === 'object' && event !== null && 'event_type' in event ? String(event.event_type) : '';
  return (
    <details>
      <summary>{type}</summary>
      <pre>{JSON.stringify(event, null, 2)}</pre>
    </details>
  );
}
