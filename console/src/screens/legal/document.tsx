import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Api, api, save, send, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { Link } from '../../router';
import { useText } from '../../text';
import { Badge, Deed, Details, Field, Form, Panel, Time } from '../../ui/parts';
import { Loaded } from '../../ui/states';
import { CustodyOf } from './custody';
import { Redactions } from './redactions';

export default function DocumentScreen({ id }: { readonly id: string }) {
  const { t } = useText();
  const { may } = useSigned();
  const document = useQuery({
    queryKey: ['document', id],
    queryFn: () => unwrap(api.GET('/v1/documents/{id}/metadata', { params: { path: { id } } })),
  });
  const reload = (): void => void document.refetch();
  return (
    <Loaded query={document} lines={6}>
      {(found) => (
        <>
          <h1>{found.title ?? found.filename}</h1>
          <Panel
            title={t('Document', 'Documento')}
            actions={<Badge>{found.redacted ? 'REDACTED' : found.status}</Badge>}
          >
            <Details
              facts={[
                [t('Kind', 'Tipo'), found.media_type],
                [t('Size in bytes', 'Tamaño en bytes'), found.size],
                [
                  t('Members', 'Afiliados'),
                  found.member_ids.map((member) => (
                    <Link key={member} to={`/members/${encodeURIComponent(member)}`}>
                      {member}{' '}
                    </Link>
                  )),
                ],
                [t('Received', 'Recibido'), <Time key="c" at={found.created_at} />],
                [
                  t('Scan', 'Análisis'),
                  `${found.scan.status} ${found.scan.findings.map((finding) => finding.code).join(', ')}`,
                ],
                ['SHA-256', <code key="h">{found.sha256}</code>],
              ]}
            />
          </Panel>
          {found.status === 'QUARANTINED' && may('quarantine:release') && <Quarantine id={id} onDone={reload} />}
          {found.status === 'AVAILABLE' && <Content document={found} />}
          {found.status === 'AVAILABLE' && may('redactions:read') && <Redactions document={found} onApplied={reload} />}
          {may('custody:read') && <CustodyOf kind="DOCUMENT" id={id} />}
        </>
      )}
    </Loaded>
  );
}

type Shown =
  | { readonly kind: 'image' | 'pdf'; readonly address: string }
  | { readonly kind: 'text'; readonly text: string };

function Content({ document }: { readonly document: Api<'Document'> }) {
  const { t } = useText();
  const [shown, setShown] = useState<Shown | null>(null);
  const path = `/v1/documents/${document.document_id}`;
  const kind = document.media_type.startsWith('image/')
    ? 'image'
    : document.media_type === 'application/pdf'
      ? 'pdf'
      : document.media_type.startsWith('text/')
        ? 'text'
        : null;
  useEffect(
    () => () => (shown !== null && shown.kind !== 'text' ? URL.revokeObjectURL(shown.address) : undefined),
    [shown],
  );
  const show = async (): Promise<void> => {
    const response = await send(path);
    if (kind === 'text') setShown({ kind, text: await response.text() });
    else if (kind !== null) setShown({ kind, address: URL.createObjectURL(await response.blob()) });
  };
  return (
    <Panel title={t('Content', 'Contenido')}>
      <p className="quiet">
        {t('Reading the content is recorded in custody.', 'La lectura del contenido queda en custodia.')}
      </p>
      {kind !== null && shown === null && <Deed label={t('Show', 'Mostrar')} run={show} />}
      <Deed label={t('Save as a file', 'Guardar')} run={() => save(path, document.filename)} />
      {shown?.kind === 'text' && <pre>{shown.text}</pre>}
      {shown?.kind === 'image' && <img src={shown.address} alt={document.title ?? document.filename} />}
      {shown?.kind === 'pdf' && <iframe src={shown.address} title={document.title ?? document.filename} />}
    </Panel>
  );
}

function Quarantine({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const { t } = useText();
  const [reason, setReason] = useState('');
  const [by, setBy] = useState('');
  const review = (decision: 'release' | 'reject') => async (): Promise<void> => {
    await unwrap(
      api.POST(`/v1/quarantine/{id}/${decision}`, { params: { path: { id } }, body: { reason, reviewed_by: by } }),
    );
    onDone();
  };
  return (
    <Panel title={t('In quarantine', 'En cuarentena')}>
      <Form submit={t('Release', 'Liberar')} onSubmit={review('release')}>
        <Field label={t('Reason', 'Motivo')} value={reason} onChange={setReason} required />
        <Field label={t('Reviewed by', 'Revisado por')} value={by} onChange={setBy} required />
      </Form>
      <Deed
        label={t('Reject for good', 'Rechazar definitivamente')}
        run={review('reject')}
        disabled={reason === '' || by === ''}
      />
    </Panel>
  );
}
