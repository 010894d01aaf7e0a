import { useState } from 'react';
import { type Api, api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { useText } from '../../text';
import { type Columns, List, usePages } from '../../ui/list';
import { Badge, Deed, Field, Form, Panel, Time } from '../../ui/parts';
import { ShownOnce } from '../../ui/shown-once';

type Notice = Api<'HoldNotice'>;

/** Notices to the custodians of a hold, and whether they have acknowledged. */
export function HoldNotices({ id, active }: { readonly id: string; readonly active: boolean }) {
  const { t } = useText();
  const { may } = useSigned();
  const pages = usePages(['hold-notices', id], (cursor) =>
    unwrap(
      api.GET('/v1/legal-holds/{id}/notices', {
        params: { path: { id }, query: cursor === undefined ? {} : { cursor } },
      }),
    ),
  );
  const refresh = () => void pages.refetch();
  const label = t('Notices to custodians', 'Avisos a los custodios');
  return (
    <Panel title={label}>
      {active && may('holds:write') && <NewNotice id={id} onMade={refresh} />}
      <List
        label={label}
        pages={pages}
        columns={useColumns(active, refresh)}
        keyOf={(notice) => notice.notice_id}
        empty={t('No custodian has a notice.', 'Ningún custodio tiene un aviso.')}
      />
    </Panel>
  );
}

function NewNotice({ id, onMade }: { readonly id: string; readonly onMade: () => void }) {
  const { t } = useText();
  const [custodian, setCustodian] = useState('');
  const [actor, setActor] = useState('');
  const [text, setText] = useState('');
  const [days, setDays] = useState('14');
  const give = async (): Promise<void> => {
    const known = actor.trim() === '' ? {} : { custodian_id: actor.trim() };
    await unwrap(
      api.POST('/v1/legal-holds/{id}/notices', {
        params: { path: { id } },
        body: { custodian, ...known, text, due_in_days: Number(days) },
      }),
    );
    setCustodian('');
    setActor('');
    onMade();
  };
  return (
    <Form submit={t('Record the notice', 'Registrar el aviso')} onSubmit={give}>
      <p className="note">
        {t(
          'The service sends no mail. A custodian with an actor reads the notice here; deliver it to others yourself.',
          'El servicio no envía correo. Un custodio con actor lee el aviso aquí; entréguelo usted a los demás.',
        )}
      </p>
      <Field label={t('Custodian', 'Custodio')} value={custodian} onChange={setCustodian} required />
      <Field
        label={t('Actor of the custodian', 'Actor del custodio')}
        value={actor}
        onChange={setActor}
        hint={t('act_…, if the custodian can sign in', 'act_…, si el custodio puede iniciar sesión')}
      />
      <Field label={t('Text of the notice', 'Texto del aviso')} value={text} onChange={setText} rows={3} required />
      <Field
        label={t('Days to acknowledge', 'Días para acusar recibo')}
        value={days}
        onChange={setDays}
        type="number"
        required
      />
    </Form>
  );
}

function useColumns(active: boolean, onChange: () => void): Columns<Notice> {
  const { t } = useText();
  const { may } = useSigned();
  const isOpen = ({ status }: Notice) => status === 'PENDING' && may('holds:write');
  return [
    [t('Custodian', 'Custodio'), (notice) => notice.custodian],
    [t('State', 'Estado'), (notice) => <Badge>{notice.overdue && active ? 'OVERDUE' : notice.status}</Badge>],
    [t('Due', 'Vence'), (notice) => <Time at={notice.due_at} />],
    [t('Reminders', 'Recordatorios'), (notice) => notice.reminders],
    [t('Acknowledged', 'Acusado'), (notice) => <Time at={notice.acknowledged_at} />],
    [t('How', 'Cómo'), (notice) => notice.how ?? '—'],
    [
      t('Action', 'Acción'),
      (notice) => (isOpen(notice) ? <Actions notice={notice} active={active} onChange={onChange} /> : '—'),
    ],
  ];
}

const LINK_HOURS = 336;

/** Makes the link with which a custodian without a key acknowledges. */
function NoticeLink({ notice }: { readonly notice: Notice }) {
  const { t } = useText();
  const [made, setMade] = useState<Api<'SharedHoldNotice'> | null>(null);
  const make = async (): Promise<void> => {
    const params = { path: { id: notice.notice_id } };
    const body = { expires_in_hours: LINK_HOURS };
    setMade(await unwrap(api.POST('/v1/hold-notices/{id}/link', { params, body })));
  };
  return (
    <>
      <Deed label={t('Link to acknowledge', 'Enlace para acusar recibo')} run={make} />
      {made && (
        <ShownOnce id={made.notice_id} url={made.url}>
          {t(
            'Anyone who has it reads and acknowledges the notice. It ends in 14 days, or with a new link.',
            'Quien la tenga lee el aviso y acusa recibo. Termina en 14 días, o con un enlace nuevo.',
          )}
        </ShownOnce>
      )}
    </>
  );
}

interface ActionsProps {
  readonly notice: Notice;
  readonly active: boolean;
  readonly onChange: () => void;
}

function Actions({ notice, active, onChange }: ActionsProps) {
  const { t } = useText();
  const [how, setHow] = useState('');
  const params = { path: { id: notice.notice_id } };
  const then = async (done: Promise<unknown>): Promise<void> => {
    await done;
    onChange();
  };
  return (
    <>
      {active && (
        <Deed
          label={t('Reminded', 'Recordado')}
          run={() => then(unwrap(api.POST('/v1/hold-notices/{id}/remind', { params, body: {} })))}
        />
      )}
      {notice.custodian_id === null && (
        <>
          {active && <NoticeLink notice={notice} />}
          <Field label={t('How acknowledged', 'Cómo acusó recibo')} value={how} onChange={setHow} />
          <Deed
            label={t('Acknowledged', 'Acusado')}
            disabled={how.trim() === ''}
            run={() => then(unwrap(api.POST('/v1/hold-notices/{id}/acknowledge', { params, body: { how } })))}
          />
        </>
      )}
      <Deed
        label={t('Withdraw', 'Retirar')}
        run={() => then(unwrap(api.POST('/v1/hold-notices/{id}/withdraw', { params, body: {} })))}
      />
    </>
  );
}
