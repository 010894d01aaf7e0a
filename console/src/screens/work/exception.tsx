import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { useText } from '../../text';
import { Badge, Details, Field, Form, Panel, Time } from '../../ui/parts';
import { Loaded } from '../../ui/states';

export default function ExceptionScreen({ id }: { readonly id: string }) {
  const { t } = useText();
  const { may } = useSigned();
  const exception = useQuery({
    queryKey: ['exception', id],
    queryFn: () => unwrap(api.GET('/v1/exceptions/{id}', { params: { path: { id } } })),
  });
  return (
    <Loaded query={exception} lines={6}>
      {(found) => (
        <>
          <h1>{found.kind}</h1>
          <Panel title={t('What it means', 'Qué significa')} actions={<Badge>{found.status}</Badge>}>
            <p>{found.meaning}</p>
            <p>{found.advice}</p>
            <Details
              facts={[
                [t('Severity', 'Gravedad'), <Badge key="s">{found.severity}</Badge>],
                [t('First seen', 'Vista por primera vez'), <Time key="c" at={found.created_at} />],
                [t('Last seen', 'Vista por última vez'), <Time key="l" at={found.last_seen_at} />],
                [t('Times', 'Veces'), found.occurrences],
                [t('Assigned to', 'Asignada a'), found.assigned_to],
                [
                  t('Known gap until', 'Laguna conocida hasta'),
                  found.known_gap ? <Time key="k" at={found.known_gap.until} /> : '—',
                ],
                [t('Resolution', 'Resolución'), found.resolution_note ?? found.resolution],
              ]}
            />
            <pre>{JSON.stringify({ subject: found.subject, detail: found.detail }, null, 2)}</pre>
          </Panel>
          {may('exceptions:write') && found.status !== 'RESOLVED' && (
            <Triage id={id} onDone={() => void exception.refetch()} />
          )}
          <Panel title={t('History', 'Historial')}>
            <ul>
              {found.history.map((step) => (
                <li key={step.revision}>
                  <Time at={step.at} /> {step.action} → {step.to} {step.note ?? ''}
                </li>
              ))}
            </ul>
          </Panel>
        </>
      )}
    </Loaded>
  );
}

const RESOLUTIONS = ['CORRECTED_AT_SOURCE', 'ACCEPTED', 'DUPLICATE', 'OTHER'];

function Triage({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const { t } = useText();
  const [assignee, setAssignee] = useState('');
  const [note, setNote] = useState('');
  const [resolution, setResolution] = useState('CORRECTED_AT_SOURCE');
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState('');
  const params = { path: { id } };
  const assign = async (): Promise<void> => {
    await unwrap(api.POST('/v1/exceptions/{id}/assign', { params, body: { assignee } }));
    onDone();
  };
  const resolve = async (): Promise<void> => {
    await unwrap(
      api.POST('/v1/exceptions/{id}/resolve', { params, body: { resolution, ...(note === '' ? {} : { note }) } }),
    );
    onDone();
  };
  const markGap = async (): Promise<void> => {
    const body = { reason, ...(until === '' ? {} : { until: `${until}T00:00:00Z` }) };
    await unwrap(api.POST('/v1/exceptions/{id}/mark-known-gap', { params, body }));
    onDone();
  };
  return (
    <>
      <Panel title={t('Assign', 'Asignar')}>
        <Form submit={t('Assign', 'Asignar')} onSubmit={assign}>
          <Field label={t('Assignee', 'Persona')} value={assignee} onChange={setAssignee} required />
        </Form>
      </Panel>
      <Panel title={t('Resolve', 'Resolver')}>
        <Form submit={t('Resolve', 'Resolver')} onSubmit={resolve}>
          <Field
            label={t('Resolution', 'Resolución')}
            value={resolution}
            onChange={setResolution}
            options={RESOLUTIONS.map((one) => [one, one] as const)}
          />
          <Field label={t('Note', 'Nota')} value={note} onChange={setNote} rows={2} />
        </Form>
      </Panel>
      <Panel title={t('Known gap until a date', 'Laguna conocida hasta una fecha')}>
        <Form submit={t('Mark as known gap', 'Marcar como laguna conocida')} onSubmit={markGap}>
          <Field label={t('Reason of the gap', 'Motivo de la laguna')} value={reason} onChange={setReason} required />
          <Field label={t('Until', 'Hasta')} type="date" value={until} onChange={setUntil} />
        </Form>
      </Panel>
    </>
  );
}
