import { useState } from 'react';
import { type Api, api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { go, Link, refine, usePlace } from '../../router';
import { useText } from '../../text';
import { FilterField } from '../../ui/filter-field';
import { type Columns, List, usePages } from '../../ui/list';
import { Badge, Field, Time } from '../../ui/parts';
import { useRowFocus } from '../../ui/row-focus';
import { SavedViews } from '../../ui/saved-views';
import { Shortcuts } from '../../ui/shortcuts';
import { BulkTriage, type TriageStep } from './bulk-triage';

const STATUSES = ['OPEN', 'ASSIGNED', 'KNOWN_GAP', 'RESOLVED'] as const;
type Item = Api<'Exception'>;

export default function Exceptions() {
  const { t } = useText();
  const { may } = useSigned();
  const { query } = usePlace();
  const status: Item['status'] = STATUSES.find((one) => one === query.get('status')) ?? 'OPEN';
  const assignee = query.get('assigned_to') ?? '';
  const where = { status, ...(assignee === '' ? {} : { assigned_to: assignee }) };
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState<string | null>(null);
  const [step, setStep] = useState<TriageStep | null>(null);
  const focusRow = useRowFocus();
  const pages = usePages(['exceptions', where], (cursor) =>
    unwrap(api.GET('/v1/exceptions', { params: { query: { ...where, ...(cursor === undefined ? {} : { cursor }) } } })),
  );
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  const here = items.find((item) => item.exception_id === at);
  const taken =
    chosen.size === 0 && here !== undefined ? [here] : items.filter((item) => chosen.has(item.exception_id));
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const move = (by: 1 | -1): void => {
    const from = items.findIndex((item) => item.exception_id === at);
    const next = items[from < 0 ? 0 : Math.min(items.length - 1, Math.max(0, from + by))];
    if (next === undefined) return;
    setAt(next.exception_id);
    focusRow(next.exception_id);
  };
  const done = async (): Promise<void> => {
    setChosen(new Set());
    await pages.refetch();
  };
  const mayWrite = may('exceptions:write') && status !== 'RESOLVED';
  const start = (next: TriageStep) => (): void => (taken.length > 0 ? setStep(next) : undefined);
  const columns: Columns<Item> = [
    [
      t('Choose', 'Elegir'),
      (item) => (
        <input
          type="checkbox"
          checked={chosen.has(item.exception_id)}
          aria-label={t(`Choose ${item.exception_id}`, `Elegir ${item.exception_id}`)}
          onFocus={() => setAt(item.exception_id)}
          onChange={() => toggle(item.exception_id)}
        />
      ),
    ],
    [t('Kind', 'Tipo'), (item) => <Link to={`/exceptions/${item.exception_id}`}>{item.kind}</Link>],
    [t('Severity', 'Gravedad'), (item) => <Badge>{item.severity}</Badge>],
    [t('Meaning', 'Significado'), (item) => item.meaning],
    [t('Assigned to', 'Asignada a'), (item) => item.assigned_to ?? '—'],
    [t('Seen', 'Vista'), (item) => <Time at={item.last_seen_at} />],
    [t('Times', 'Veces'), (item) => item.occurrences],
  ];
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
        <FilterField
          label={t('Only assigned to', 'Solo asignadas a')}
          value={assignee}
          onApply={(value) => refine({ assigned_to: value })}
        />
        <Shortcuts
          shortcuts={[
            { key: 'j', name: t('Next exception', 'Excepción siguiente'), run: () => move(1) },
            { key: 'k', name: t('Previous exception', 'Excepción anterior'), run: () => move(-1) },
            {
              key: 'x',
              name: t('Choose the exception, or not', 'Elegir la excepción, o no'),
              run: () => (here === undefined ? undefined : toggle(here.exception_id)),
            },
            {
              key: 'o',
              name: t('Open the exception', 'Abrir la excepción'),
              run: () => (here === undefined ? undefined : go(`/exceptions/${here.exception_id}`)),
            },
            ...(mayWrite
              ? [
                  { key: 'a', name: t('Assign the chosen ones', 'Asignar las elegidas'), run: start('assign') },
                  { key: 'r', name: t('Resolve the chosen ones', 'Resolver las elegidas'), run: start('resolve') },
                  {
                    key: 'g',
                    name: t('Mark the chosen ones as a known gap', 'Marcar las elegidas como laguna conocida'),
                    run: start('gap'),
                  },
                ]
              : []),
          ]}
        />
      </div>
      {mayWrite && <BulkTriage items={taken} step={step} onStep={setStep} onDone={done} />}
      <List
        label={t('Exceptions', 'Excepciones')}
        pages={pages}
        keyOf={(item) => item.exception_id}
        marked={at ?? undefined}
        empty={t('Nothing to do here.', 'Nada que hacer aquí.')}
        columns={columns}
      />
      <SavedViews screen="EXCEPTIONS" />
    </>
  );
}
