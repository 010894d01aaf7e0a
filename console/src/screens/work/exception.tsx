import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, ApiError, api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { useText } from '../../text';
import { Changed, useSeen } from '../../ui/changed';
import { Badge, Details, Field, Form, Panel, Time } from '../../ui/parts';
import { Loaded } from '../../ui/states';
import { RESOLUTIONS } from './resolutions';

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
            <Triage found={found} reload={() => exception.refetch()} />
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

interface TriageProps {
  readonly found: Api<'Exception'>;
  readonly reload: () => Promise<unknown>;
}

function Triage({ found, reload }: TriageProps) {
  const { t } = useText();
  const [assignee, setAssignee] = useState('');
  const [note, setNote] = useState('');
  const [resolution, setResolution] = useState('CORRECTED_AT_SOURCE');
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState('');
  const seen = useSeen(found);
  const params = { path: { id: found.exception_id } };
  const revision = seen.seen;
  /** Sends a step at the revision that the reader has seen. After a conflict the page shows what the other one did. */
  const step = (send: () => Promise<Api<'Exception'>>) => async (): Promise<void> => {
    try {
      const after = await send();
      seen.accept(after.revision);
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) await reload();
      throw error;
    }
    await reload();
  };
  const assign = step(() => unwrap(api.POST('/v1/exceptions/{id}/assign', { params, body: { assignee, revision } })));
  const resolve = step(() => {
    const body = { resolution, revision, ...(note === '' ? {} : { note }) };
    return unwrap(api.POST('/v1/exceptions/{id}/resolve', { params, body }));
  });
  const markGap = step(() => {
    const body = { reason, revision, ...(until === '' ? {} : { until: `${until}T00:00:00Z` }) };
    return unwrap(api.POST('/v1/exceptions/{id}/mark-known-gap', { params, body }));
  });
  return (
    <>
      <Changed record={found} seen={seen} />
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
