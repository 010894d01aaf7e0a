import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { go, Link } from '../../router';
import { useText } from '../../text';
import { List, usePages } from '../../ui/list';
import { Badge, Field, Form, Panel, Time } from '../../ui/parts';

export default function Bundles() {
  const { t } = useText();
  const { may } = useSigned();
  const pages = usePages(['bundles'], (cursor) =>
    unwrap(api.GET('/v1/bundles', { params: { query: cursor === undefined ? {} : { cursor } } })),
  );
  return (
    <>
      <h1>{t('Bundles', 'Expedientes')}</h1>
      {may('bundles:request') && <Request />}
      <List
        label={t('Bundles', 'Expedientes')}
        pages={pages}
        keyOf={(bundle) => bundle.bundle_id}
        empty={t('No bundle yet. Request one above.', 'Todavía no hay expedientes. Solicite uno arriba.')}
        columns={[
          [t('Bundle', 'Expediente'), (bundle) => <Link to={`/bundles/${bundle.bundle_id}`}>{bundle.bundle_id}</Link>],
          [
            t('About', 'Sobre'),
            (bundle) => bundle.scope.member_id ?? bundle.scope.matter_id ?? bundle.scope.incident_id,
          ],
          [t('Status', 'Estado'), (bundle) => <Badge>{bundle.status}</Badge>],
          [t('Events', 'Eventos'), (bundle) => bundle.event_count ?? '—'],
          [t('Requested', 'Solicitado'), (bundle) => <Time at={bundle.created_at} />],
        ]}
      />
    </>
  );
}

type Scope = 'member_id' | 'matter_id' | 'incident_id';

function Request() {
  const { t } = useText();
  const [scope, setScope] = useState<Scope>('member_id');
  const [subject, setSubject] = useState('');
  const [by, setBy] = useState('');
  const request = async (): Promise<void> => {
    const made = await unwrap(
      api.POST('/v1/bundles', {
        body: { scope: { [scope]: subject.trim() }, ...(by.trim() === '' ? {} : { requested_by: by.trim() }) },
      }),
    );
    go(`/bundles/${made.bundle_id}`);
  };
  return (
    <Panel title={t('Request a bundle', 'Solicitar un expediente')}>
      <Form submit={t('Request', 'Solicitar')} onSubmit={request}>
        <div className="row">
          <Field
            label={t('About', 'Sobre')}
            value={scope}
            onChange={(value) => setScope(value === 'matter_id' || value === 'incident_id' ? value : 'member_id')}
            options={[
              ['member_id', t('a member', 'un afiliado')],
              ['matter_id', t('a matter', 'un asunto')],
              ['incident_id', t('an incident', 'un incidente')],
            ]}
          />
          <Field label={t('Identifier', 'Identificador')} value={subject} onChange={setSubject} required />
          <Field label={t('Requested by', 'Solicitado por')} value={by} onChange={setBy} />
        </div>
        {scope === 'member_id' && <Preview member={subject.trim()} />}
      </Form>
    </Panel>
  );
}

const PREVIEW = 200;

/** How much a bundle would hold, before it is requested. */
function Preview({ member }: { readonly member: string }) {
  const { t } = useText();
  const events = useQuery({
    queryKey: ['bundle-preview', member],
    enabled: member !== '',
    queryFn: () => unwrap(api.GET('/v1/events', { params: { query: { member_id: member, limit: PREVIEW } } })),
  });
  if (member === '' || events.data === undefined) return null;
  const { items, next_cursor: next } = events.data;
  return (
    <p role="status">
      {t(
        `${items.length}${next ? ' or more' : ''} events name this member.`,
        `${items.length}${next ? ' o más' : ''} eventos nombran a este afiliado.`,
      )}
    </p>
  );
}
