import { useState } from 'react';
import { type Api, api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { Link, refine, usePlace } from '../../router';
import { useText } from '../../text';
import { List, usePages } from '../../ui/list';
import { Badge, Deed, Field, Time } from '../../ui/parts';

const STATUSES = ['OPEN', 'ASSIGNED', 'KNOWN_GAP', 'RESOLVED'] as const;
type Status = Api<'Exception'>['status'];

export default function Exceptions() {
  const { t } = useText();
  const { may } = useSigned();
  const { query } = usePlace();
  const status: Status = STATUSES.find((one) => one === query.get('status')) ?? 'OPEN';
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const pages = usePages(['exceptions', status], (cursor) =>
    unwrap(api.GET('/v1/exceptions', { params: { query: { status, ...(cursor === undefined ? {} : { cursor }) } } })),
  );
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const assigned = async (): Promise<void> => {
    setChosen(new Set());
    await pages.refetch();
  };
  return (
    <>
      <h1>{t('Exceptions', 'Excepciones')}</h1>
      <div className="row">
        <Field
          label={t('Status', 'Estado')}
          value={status}
          onChange={(value) => refine({ status: value })}
          options={STATUSES.map((one) => [one, one] as const)}
        />
      </div>
      {may('exceptions:write') && status === 'OPEN' && <Assign chosen={chosen} onDone={assigned} />}
      <List
        label={t('Exceptions', 'Excepciones')}
        pages={pages}
        keyOf={(item) => item.exception_id}
        empty={t('Nothing to do here.', 'Nada que hacer aquí.')}
        columns={[
          [
            t('Choose', 'Elegir'),
            (item) => (
              <input
                type="checkbox"
                checked={chosen.has(item.exception_id)}
                aria-label={t(`Choose ${item.exception_id}`, `Elegir ${item.exception_id}`)}
                onChange={() => toggle(item.exception_id)}
              />
            ),
          ],
          [t('Kind', 'Tipo'), (item) => <Link to={`/exceptions/${item.exception_id}`}>{item.kind}</Link>],
          [t('Severity', 'Gravedad'), (item) => <Badge>{item.severity}</Badge>],
          [t('Meaning', 'Significado'), (item) => item.meaning],
          [t('Seen', 'Vista'), (item) => <Time at={item.last_seen_at} />],
          [t('Times', 'Veces'), (item) => item.occurrences],
        ]}
      />
    </>
  );
}

function Assign({ chosen, onDone }: { readonly chosen: ReadonlySet<string>; readonly onDone: () => Promise<void> }) {
  const { t } = useText();
  const [assignee, setAssignee] = useState('');
  const assign = async (): Promise<void> => {
    for (const id of chosen)
      await unwrap(api.POST('/v1/exceptions/{id}/assign', { params: { path: { id } }, body: { assignee } }));
    await onDone();
  };
  return (
    <div className="row">
      <Field label={t('Assign the chosen ones to', 'Asignar las elegidas a')} value={assignee} onChange={setAssignee} />
      <Deed
        label={t(`Assign ${chosen.size}`, `Asignar ${chosen.size}`)}
        disabled={chosen.size === 0 || assignee.trim() === ''}
        run={assign}
      />
    </div>
  );
}
