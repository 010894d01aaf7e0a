import { useState } from 'react';
import { type Api, api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { go, Link } from '../../router';
import { useText } from '../../text';
import { List, usePages } from '../../ui/list';
import { Badge, Field, Form, Panel, Time } from '../../ui/parts';

export default function Matters() {
  const { t } = useText();
  const { may } = useSigned();
  return (
    <>
      <h1>{t('Matters and holds', 'Asuntos y retenciones')}</h1>
      {may('matters:read') && <MatterList />}
      {may('holds:read') && <HoldList />}
      {may('matters:write') && <NewMatter />}
      {may('holds:write') && <NewHold />}
    </>
  );
}

function MatterList() {
  const { t } = useText();
  const pages = usePages(['matters'], (cursor) =>
    unwrap(api.GET('/v1/legal-matters', { params: { query: cursor === undefined ? {} : { cursor } } })),
  );
  return (
    <Panel title={t('Matters', 'Asuntos')}>
      <List
        label={t('Matters', 'Asuntos')}
        pages={pages}
        keyOf={(matter) => matter.matter_id}
        empty={t('No matter yet. Open one below.', 'Todavía no hay asuntos. Abra uno abajo.')}
        columns={[
          [t('Matter', 'Asunto'), (matter) => <Link to={`/matters/${matter.matter_id}`}>{matter.name}</Link>],
          [t('Kind', 'Tipo'), (matter) => matter.kind],
          [t('Status', 'Estado'), (matter) => <Badge>{matter.status}</Badge>],
          [t('Opened', 'Abierto'), (matter) => <Time at={matter.created_at} />],
        ]}
      />
    </Panel>
  );
}

function HoldList() {
  const { t } = useText();
  const pages = usePages(['holds'], (cursor) =>
    unwrap(api.GET('/v1/legal-holds', { params: { query: cursor === undefined ? {} : { cursor } } })),
  );
  return (
    <Panel title={t('Holds', 'Retenciones')}>
      <List
        label={t('Holds', 'Retenciones')}
        pages={pages}
        keyOf={(hold) => hold.hold_id}
        empty={t('No hold yet. Place one below.', 'Todavía no hay retenciones. Cree una abajo.')}
        columns={[
          [t('Hold', 'Retención'), (hold) => <Link to={`/holds/${hold.hold_id}`}>{hold.name}</Link>],
          [t('Status', 'Estado'), (hold) => <Badge>{hold.status}</Badge>],
          [t('Events', 'Eventos'), (hold) => hold.counts.events],
          [t('Documents', 'Documentos'), (hold) => hold.counts.documents],
        ]}
      />
    </Panel>
  );
}

const KINDS: readonly Api<'LegalMatterInput'>['kind'][] = [
  'LITIGATION',
  'INVESTIGATION',
  'REGULATORY',
  'AUDIT',
  'APPEAL',
  'SUBPOENA',
  'OTHER',
];

const listed = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

function NewMatter() {
  const { t } = useText();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<string>('LITIGATION');
  const [members, setMembers] = useState('');
  const open = async (): Promise<void> => {
    const chosen = KINDS.find((one) => one === kind) ?? 'OTHER';
    const made = await unwrap(
      api.POST('/v1/legal-matters', { body: { name, kind: chosen, member_ids: listed(members) } }),
    );
    go(`/matters/${made.matter_id}`);
  };
  return (
    <Panel title={t('Open a matter', 'Abrir un asunto')}>
      <Form submit={t('Open the matter', 'Abrir el asunto')} onSubmit={open}>
        <Field label={t('Name of the matter', 'Nombre del asunto')} value={name} onChange={setName} required />
        <Field
          label={t('Kind', 'Tipo')}
          value={kind}
          onChange={setKind}
          options={KINDS.map((one) => [one, one] as const)}
        />
        <Field
          label={t('Members of the matter', 'Afiliados del asunto')}
          value={members}
          onChange={setMembers}
          hint={t('Identifiers, separated by commas.', 'Identificadores separados por comas.')}
        />
      </Form>
    </Panel>
  );
}

const PREVIEW = 200;

/** Shows what a hold would cover before it is placed. */
function NewHold() {
  const { t } = useText();
  const [name, setName] = useState('');
  const [members, setMembers] = useState('');
  const [reason, setReason] = useState('');
  const [authority, setAuthority] = useState('');
  const [covered, setCovered] = useState<string | null>(null);
  const preview = async (): Promise<void> => {
    const pages = await Promise.all(
      listed(members).map((member_id) =>
        unwrap(api.GET('/v1/events', { params: { query: { member_id, limit: PREVIEW } } })),
      ),
    );
    const events = pages.reduce((count, { items }) => count + items.length, 0);
    const more = pages.some(({ next_cursor: next }) => next !== null);
    setCovered(
      t(
        `It would cover ${events}${more ? ' or more' : ''} events today, and those that follow.`,
        `Hoy abarcaría ${events}${more ? ' o más' : ''} eventos, y los que sigan.`,
      ),
    );
  };
  const place = async (): Promise<void> => {
    if (covered === null) return preview();
    const hold = { name, scope: { member_ids: listed(members) }, reason, ...(authority === '' ? {} : { authority }) };
    const made = await unwrap(api.POST('/v1/legal-holds', { body: hold }));
    go(`/holds/${made.hold_id}`);
  };
  const change = (members: string): void => {
    setMembers(members);
    setCovered(null);
  };
  return (
    <Panel title={t('Place a hold', 'Crear una retención')}>
      <Form
        submit={
          covered === null
            ? t('Show what it would cover', 'Mostrar qué abarcaría')
            : t('Place the hold', 'Crear la retención')
        }
        onSubmit={place}
      >
        <Field label={t('Name of the hold', 'Nombre de la retención')} value={name} onChange={setName} required />
        <Field
          label={t('Members under the hold', 'Afiliados retenidos')}
          value={members}
          onChange={change}
          required
          hint={t('Identifiers, separated by commas.', 'Identificadores separados por comas.')}
        />
        <Field label={t('Reason of the hold', 'Motivo de la retención')} value={reason} onChange={setReason} required />
        <Field label={t('Authority', 'Autoridad')} value={authority} onChange={setAuthority} />
        {covered !== null && (
          <p role="status" className="note">
            {covered}
          </p>
        )}
      </Form>
    </Panel>
  );
}
