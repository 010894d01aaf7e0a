import { useQuery } from '@tanstack/react-query';
import { readJson } from '../../api/client';
import { Link } from '../../router';
import { useText } from '../../text';
import { Table } from '../../ui/list';
import { Badge, Details, Panel, Time } from '../../ui/parts';
import { Empty, Loaded } from '../../ui/states';

export default function IngestOutcome({ id }: { readonly id: string }) {
  const { t } = useText();
  const outcome = useQuery({
    queryKey: ['ingest', id],
    queryFn: () => readJson<'RawIngestResult'>(`/v1/ingest/${id}`),
  });
  return (
    <Loaded query={outcome} lines={6}>
      {(found) => (
        <>
          <h1>{t('What became of the message', 'Qué pasó con el mensaje')}</h1>
          <Panel title={found.format}>
            <Details
              facts={[
                [t('Received', 'Recibido'), <Time key="r" at={found.received_at} />],
                [t('Transactions', 'Transacciones'), found.transactions],
                [t('New events', 'Eventos nuevos'), found.accepted],
                [t('Already there', 'Ya presentes'), found.duplicated],
                [t('Rejected', 'Rechazadas'), found.rejected],
              ]}
            />
            {found.warnings.map((warning) => (
              <p key={warning.code} className="note">
                {warning.message}
              </p>
            ))}
          </Panel>
          <Panel title={t('Rows', 'Filas')}>
            {found.results.length === 0 ? (
              <Empty>{t('No row.', 'Ninguna fila.')}</Empty>
            ) : (
              <Table
                label={t('Rows', 'Filas')}
                items={found.results}
                keyOf={(row) => String(row.index)}
                columns={[
                  [t('Row', 'Fila'), (row) => row.index],
                  [t('Status', 'Estado'), (row) => <Badge>{row.status}</Badge>],
                  [
                    t('Event', 'Evento'),
                    (row) =>
                      row.event_id ? (
                        <Link to={`/events/${row.event_id}`}>{row.source_record_id ?? row.event_id}</Link>
                      ) : (
                        '—'
                      ),
                  ],
                  [t('Error', 'Error'), (row) => row.error?.message ?? '—'],
                ]}
              />
            )}
          </Panel>
          <Panel title={t('Acknowledgement', 'Acuse')}>
            <pre>
              {typeof found.acknowledgement === 'string'
                ? found.acknowledgement
                : JSON.stringify(found.acknowledgement ?? null, null, 2)}
            </pre>
          </Panel>
        </>
      )}
    </Loaded>
  );
}
