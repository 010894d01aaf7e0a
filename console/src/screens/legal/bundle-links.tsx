import { useState } from 'react';
import { type Api, api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { useText } from '../../text';
import { type Columns, List, usePages } from '../../ui/list';
import { Badge, Deed, Field, Form, Panel, Time } from '../../ui/parts';
import { ShownOnce } from '../../ui/shown-once';

/** Makes, lists and revokes links that open the bundle for parties without a key. */
export function BundleLinks({ id }: { readonly id: string }) {
  const { t } = useText();
  const { may } = useSigned();
  const pages = usePages(['bundle-links', id], (cursor) =>
    unwrap(
      api.GET('/v1/bundles/{id}/links', {
        params: { path: { id }, query: cursor === undefined ? {} : { cursor } },
      }),
    ),
  );
  const refresh = () => void pages.refetch();
  const label = t('Links for other parties', 'Enlaces para otras partes');
  return (
    <Panel title={label}>
      {may('bundles:export') && <NewLink id={id} onMade={refresh} />}
      <List
        label={label}
        pages={pages}
        columns={useColumns(refresh)}
        keyOf={(link) => link.link_id}
        empty={t('No link has been made.', 'No se ha creado ningún enlace.')}
      />
    </Panel>
  );
}

type BundleLink = Api<'BundleLink'>;

function useColumns(onChange: () => void): Columns<BundleLink> {
  const { t } = useText();
  const { may } = useSigned();
  const revoke = async ({ bundle_id, link_id }: BundleLink): Promise<void> => {
    await unwrap(api.DELETE('/v1/bundles/{id}/links/{link_id}', { params: { path: { id: bundle_id, link_id } } }));
    onChange();
  };
  const isRevocable = ({ status }: BundleLink) => status === 'ACTIVE' && may('bundles:export');
  return [
    [t('Recipient', 'Destinatario'), (link) => link.recipient],
    [t('Purpose', 'Finalidad'), (link) => link.purpose],
    [
      t('State', 'Estado'),
      (link) => <Badge>{link.status === 'ACTIVE' && link.expired ? 'EXPIRED' : link.status}</Badge>,
    ],
    [t('Ends', 'Termina'), (link) => <Time at={link.expires_at} />],
    [t('Downloads', 'Descargas'), (link) => `${link.downloads}/${link.max_downloads}`],
    [
      t('Action', 'Acción'),
      (link) => (isRevocable(link) ? <Deed label={t('Revoke', 'Revocar')} run={() => revoke(link)} /> : '—'),
    ],
  ];
}

function NewLink({ id, onMade }: { readonly id: string; readonly onMade: () => void }) {
  const { t } = useText();
  const [recipient, setRecipient] = useState('');
  const [purpose, setPurpose] = useState('');
  const [hours, setHours] = useState('72');
  const [downloads, setDownloads] = useState('10');
  const [made, setMade] = useState<Api<'CreatedBundleLink'> | null>(null);
  const make = async (): Promise<void> => {
    setMade(
      await unwrap(
        api.POST('/v1/bundles/{id}/links', {
          params: { path: { id } },
          body: { recipient, purpose, expires_in_hours: Number(hours), max_downloads: Number(downloads) },
        }),
      ),
    );
    onMade();
  };
  return (
    <>
      <Form submit={t('Make a link (recorded in custody)', 'Crear un enlace (queda en custodia)')} onSubmit={make}>
        <Field
          label={t('Recipient of the link', 'Destinatario del enlace')}
          value={recipient}
          onChange={setRecipient}
          required
        />
        <Field
          label={t('Purpose of the link', 'Finalidad del enlace')}
          value={purpose}
          onChange={setPurpose}
          required
        />
        <Field
          label={t('Hours until it ends', 'Horas hasta que termine')}
          value={hours}
          onChange={setHours}
          type="number"
          hint={t('1 to 720', 'De 1 a 720')}
          required
        />
        <Field
          label={t('Downloads', 'Descargas')}
          value={downloads}
          onChange={setDownloads}
          type="number"
          hint={t('1 to 1,000; a resumed download counts again', 'De 1 a 1000; una descarga reanudada cuenta otra vez')}
          required
        />
      </Form>
      {made && (
        <ShownOnce key={made.link_id} id={made.link_id} url={made.url}>
          {t('Anyone who has it opens the bundle.', 'Quien la tenga abre el expediente.')}
        </ShownOnce>
      )}
    </>
  );
}
