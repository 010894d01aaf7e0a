import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, api, save, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { go } from '../../router';
import { useText } from '../../text';
import { Badge, Deed, Details, Field, Panel, Time } from '../../ui/parts';
import { Loaded } from '../../ui/states';
import { BundleLinks } from './bundle-links';
import { CustodyOf } from './custody';

const POLL_MS = 1_000;

export default function BundleScreen({ id }: { readonly id: string }) {
  const { may } = useSigned();
  const bundle = useQuery({
    queryKey: ['bundle', id],
    queryFn: () => unwrap(api.GET('/v1/bundles/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data?.status === 'REQUESTED' ? POLL_MS : false),
  });
  return (
    <Loaded query={bundle} lines={8}>
      {(found) => (
        <>
          <h1>{found.bundle_id}</h1>
          <Summary bundle={found} />
          {found.status === 'SEALED' && (
            <>
              <Verify id={id} mayDownload={may('bundles:export')} />
              <BundleLinks id={id} />
              <Difference id={id} />
            </>
          )}
          {may('custody:read') && <CustodyOf kind="BUNDLE" id={id} />}
        </>
      )}
    </Loaded>
  );
}

function Summary({ bundle }: { readonly bundle: Api<'Bundle'> }) {
  const { t } = useText();
  const { may } = useSigned();
  const again = async (): Promise<void> => {
    const made = await unwrap(
      api.POST('/v1/bundles/{id}/regenerate', { params: { path: { id: bundle.bundle_id } }, body: {} }),
    );
    go(`/bundles/${made.bundle_id}`);
  };
  return (
    <Panel title={t('Certificate', 'Certificado')} actions={<Badge>{bundle.status}</Badge>}>
      {bundle.status === 'REQUESTED' && (
        <p role="status">
          <label>
            {bundle.progress.phase} {bundle.progress.done}/{bundle.progress.total}
            <progress max={Math.max(bundle.progress.total, 1)} value={bundle.progress.done} />
          </label>
        </p>
      )}
      {bundle.failure && <p className="problem">{bundle.failure.message}</p>}
      <Details
        facts={[
          [t('About', 'Sobre'), bundle.scope.member_id ?? bundle.scope.matter_id ?? bundle.scope.incident_id],
          [t('Requested by', 'Solicitado por'), bundle.requested_by],
          [t('Requested', 'Solicitado'), <Time key="c" at={bundle.created_at} />],
          [t('Sealed', 'Sellado'), <Time key="s" at={bundle.sealed_at} />],
          [t('Events', 'Eventos'), bundle.event_count],
          [t('Documents', 'Documentos'), bundle.document_count],
          [t('Withheld by consent', 'Retenido por consentimiento'), bundle.withheld?.count ?? 0],
          [t('Signing key', 'Clave de firma'), <code key="k">{bundle.signing_key_id}</code>],
          [t('Content digest', 'Resumen del contenido'), <code key="d">{bundle.content_digest}</code>],
          [t('SHA-256 of the file', 'SHA-256 del archivo'), <code key="h">{bundle.worm_blob_sha256}</code>],
        ]}
      />
      <button type="button" onClick={() => print()}>
        {t('Print the certificate', 'Imprimir el certificado')}
      </button>{' '}
      {may('bundles:request') && bundle.status !== 'REQUESTED' && (
        <Deed label={t('Build again', 'Generar de nuevo')} run={again} />
      )}
    </Panel>
  );
}

function Verify({ id, mayDownload }: { readonly id: string; readonly mayDownload: boolean }) {
  const { t } = useText();
  const [verdict, setVerdict] = useState<Api<'BundleVerification'> | null>(null);
  const verify = async (): Promise<void> =>
    setVerdict(await unwrap(api.POST('/v1/bundles/{id}/verify-signature', { params: { path: { id } }, body: {} })));
  return (
    <Panel title={t('Verify and take away', 'Verificar y llevar')}>
      <Deed strong label={t('Verify the stored copy', 'Verificar la copia guardada')} run={verify} />
      {mayDownload && (
        <Deed
          label={t('Download (recorded in custody)', 'Descargar (queda en custodia)')}
          run={() => save(`/v1/bundles/${id}/download`, `${id}.zip`)}
        />
      )}
      <a href="/verify">
        {t(
          'Verify a downloaded file in this browser, without the service',
          'Verificar un archivo descargado, sin el servicio',
        )}
      </a>
      {verdict && (
        <>
          <p role="status" className={verdict.valid ? (verdict.verdict === 'VALID' ? 'note good' : 'note') : 'problem'}>
            {verdict.verdict}
          </p>
          <ul className="steps">
            {verdict.checks.map((check) => (
              <li key={check.name} className={check.ok ? 'good' : 'bad'}>
                <strong>{check.name}</strong> {check.detail}
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

function Difference({ id }: { readonly id: string }) {
  const { t } = useText();
  const [against, setAgainst] = useState('');
  const [diff, setDiff] = useState<Api<'BundleDiff'> | null>(null);
  const compare = async (): Promise<void> =>
    setDiff(
      await unwrap(api.GET('/v1/bundles/{id}/diff', { params: { path: { id }, query: { against: against.trim() } } })),
    );
  return (
    <Panel title={t('Difference of two', 'Diferencia entre dos')}>
      <Field label={t('The other bundle', 'El otro expediente')} value={against} onChange={setAgainst} />
      <Deed label={t('Compare', 'Comparar')} disabled={against.trim() === ''} run={compare} />
      {diff && (
        <Details
          facts={[
            [t('Same content', 'Mismo contenido'), diff.same_content ? t('yes', 'sí') : t('no', 'no')],
            [t('Events added', 'Eventos añadidos'), diff.events.added.length],
            [t('Events removed', 'Eventos quitados'), diff.events.removed.length],
            [t('Events changed', 'Eventos cambiados'), diff.events.changed.length],
            [t('Documents added', 'Documentos añadidos'), diff.documents.added.length],
          ]}
        />
      )}
    </Panel>
  );
}
