import { useState } from 'react';
import { type Api, ApiError, api, unwrap } from '../../api/client';
import { useText } from '../../text';
import { Dialog, Field, Form } from '../../ui/parts';
import { RESOLUTIONS } from './resolutions';

export type TriageStep = 'assign' | 'resolve' | 'gap';
type Item = Api<'Exception'>;
type Send = (item: Item) => Promise<unknown>;

interface BulkTriageProps {
  /** The chosen exceptions, as the reader sees them. */
  readonly items: readonly Item[];
  readonly step: TriageStep | null;
  readonly onStep: (step: TriageStep | null) => void;
  readonly onDone: () => Promise<void>;
}

interface Outcome {
  readonly done: number;
  readonly refused: readonly { readonly id: string; readonly why: string }[];
}

/** Takes one step for many exceptions, each at the revision that the reader sees, and reports what became of each. */
export function BulkTriage({ items, step, onStep, onDone }: BulkTriageProps) {
  const { t } = useText();
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const names: Readonly<Record<TriageStep, string>> = {
    assign: t('Assign', 'Asignar'),
    resolve: t('Resolve', 'Resolver'),
    gap: t('Known gap', 'Laguna conocida'),
  };
  const take = async (send: Send): Promise<void> => {
    const refused: { id: string; why: string }[] = [];
    let done = 0;
    for (const item of items) {
      try {
        await send(item);
        done++;
      } catch (error) {
        // Without an answer, or without a session, the form stays as it is.
        if (!(error instanceof ApiError) || error.status === 401) throw error;
        refused.push({ id: item.exception_id, why: error.message });
      }
    }
    setOutcome({ done, refused });
    onStep(null);
    await onDone();
  };
  return (
    <>
      <p className="row">
        {(['assign', 'resolve', 'gap'] as const).map((one) => (
          <button key={one} type="button" disabled={items.length === 0} onClick={() => onStep(one)}>
            {names[one]} ({items.length})
          </button>
        ))}
      </p>
      <div role="status">
        {outcome !== null && (
          <p className={outcome.refused.length === 0 ? 'note good' : 'note'}>
            {t(
              `${outcome.done} done, ${outcome.refused.length} refused.`,
              `${outcome.done} hechas, ${outcome.refused.length} rechazadas.`,
            )}
          </p>
        )}
        {outcome !== null && outcome.refused.length > 0 && (
          <ul>
            {outcome.refused.map(({ id, why }) => (
              <li key={id}>
                <code>{id}</code> {why}
              </li>
            ))}
          </ul>
        )}
      </div>
      {step !== null && (
        <Dialog title={`${names[step]}: ${items.length}`} onClose={() => onStep(null)}>
          {step === 'assign' && <AssignForm onSend={take} />}
          {step === 'resolve' && <ResolveForm onSend={take} />}
          {step === 'gap' && <GapForm onSend={take} />}
        </Dialog>
      )}
    </>
  );
}

interface StepFormProps {
  readonly onSend: (send: Send) => Promise<void>;
}

const pathOf = (item: Item) => ({ path: { id: item.exception_id } });

function AssignForm({ onSend }: StepFormProps) {
  const { t } = useText();
  const [assignee, setAssignee] = useState('');
  const send: Send = (item) =>
    unwrap(
      api.POST('/v1/exceptions/{id}/assign', {
        params: pathOf(item),
        body: { assignee: assignee.trim(), revision: item.revision },
      }),
    );
  return (
    <Form submit={t('Assign', 'Asignar')} onSubmit={() => onSend(send)}>
      <Field
        label={t('Assign the chosen ones to', 'Asignar las elegidas a')}
        value={assignee}
        onChange={setAssignee}
        required
      />
    </Form>
  );
}

function ResolveForm({ onSend }: StepFormProps) {
  const { t } = useText();
  const [resolution, setResolution] = useState('CORRECTED_AT_SOURCE');
  const [note, setNote] = useState('');
  const send: Send = (item) =>
    unwrap(
      api.POST('/v1/exceptions/{id}/resolve', {
        params: pathOf(item),
        body: { resolution, revision: item.revision, ...(note === '' ? {} : { note }) },
      }),
    );
  return (
    <Form submit={t('Resolve', 'Resolver')} onSubmit={() => onSend(send)}>
      <Field
        label={t('Resolution', 'Resolución')}
        value={resolution}
        onChange={setResolution}
        options={RESOLUTIONS.map((one) => [one, one] as const)}
      />
      <Field label={t('Note', 'Nota')} value={note} onChange={setNote} rows={2} />
    </Form>
  );
}

function GapForm({ onSend }: StepFormProps) {
  const { t } = useText();
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState('');
  const send: Send = (item) =>
    unwrap(
      api.POST('/v1/exceptions/{id}/mark-known-gap', {
        params: pathOf(item),
        body: { reason, revision: item.revision, ...(until === '' ? {} : { until: `${until}T00:00:00Z` }) },
      }),
    );
  return (
    <Form submit={t('Mark as known gap', 'Marcar como laguna conocida')} onSubmit={() => onSend(send)}>
      <Field label={t('Reason of the gap', 'Motivo de la laguna')} value={reason} onChange={setReason} required />
      <Field label={t('Until', 'Hasta')} type="date" value={until} onChange={setUntil} />
    </Form>
  );
}
