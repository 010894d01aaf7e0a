import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { useText } from '../../text';
import { Badge, Details, Field, Form, Panel, Time } from '../../ui/parts';
import { Loaded } from '../../ui/states';
import { HoldNotices } from './hold-notices';

export default function HoldScreen({ id }: { readonly id: string }) {
  const { t } = useText();
  const { may } = useSigned();
  const hold = useQuery({
    queryKey: ['hold', id],
    queryFn: () => unwrap(api.GET('/v1/legal-holds/{id}', { params: { path: { id } } })),
  });
  return (
    <Loaded query={hold} lines={6}>
      {(found) => (
        <>
          <h1>{found.name}</h1>
          <Panel title={t('Hold', 'Retención')} actions={<Badge>{found.status}</Badge>}>
            <Details
              facts={[
                [t('Members', 'Afiliados'), (found.scope.member_ids ?? []).join(', ') || '—'],
                [t('Reason', 'Motivo'), found.reason],
                [t('Authority', 'Autoridad'), found.authority],
                [t('Events covered', 'Eventos abarcados'), found.counts.events],
                [t('Documents covered', 'Documentos abarcados'), found.counts.documents],
                [t('Deletions refused', 'Borrados denegados'), found.counts.refused_deletions],
                [t('Placed', 'Creada'), <Time key="c" at={found.created_at} />],
                [t('Released', 'Levantada'), <Time key="r" at={found.release?.released_at} />],
              ]}
            />
          </Panel>
          <HoldNotices id={id} active={found.status === 'ACTIVE'} />
          {found.status === 'ACTIVE' && may('holds:write') && <Release id={id} onDone={() => void hold.refetch()} />}
        </>
      )}
    </Loaded>
  );
}

type Authority = Api<'LegalHoldAuthorityInput'>['kind'];
const AUTHORITIES: readonly Authority[] = ['COURT_ORDER', 'COUNSEL_APPROVAL', 'SETTLEMENT', 'REGULATOR_CLOSURE'];

function Release({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const { t } = useText();
  const [kind, setKind] = useState<string>('COURT_ORDER');
  const [reference, setReference] = useState('');
  const [reason, setReason] = useState('');
  const [by, setBy] = useState('');
  const release = async (): Promise<void> => {
    const authority = { kind: AUTHORITIES.find((one) => one === kind) ?? 'COURT_ORDER', reference };
    await unwrap(
      api.POST('/v1/legal-holds/{id}/release', {
        params: { path: { id } },
        body: { authority, reason, released_by: by },
      }),
    );
    onDone();
  };
  return (
    <Panel title={t('Release the hold', 'Levantar la retención')}>
      <Form submit={t('Release', 'Levantar')} onSubmit={release}>
        <p className="note">
          {t(
            'A release is final. It names the authority that allows it.',
            'Levantarla es definitivo. Nombra la autoridad que lo permite.',
          )}
        </p>
        <Field
          label={t('Kind of authority', 'Tipo de autoridad')}
          value={kind}
          onChange={setKind}
          options={AUTHORITIES.map((one) => [one, one] as const)}
        />
        <Field label={t('Reference', 'Referencia')} value={reference} onChange={setReference} required />
        <Field label={t('Reason', 'Motivo')} value={reason} onChange={setReason} required />
        <Field label={t('Released by', 'Levantada por')} value={by} onChange={setBy} required />
      </Form>
    </Panel>
  );
}
