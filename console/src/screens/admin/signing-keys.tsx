import { useState } from 'react';
import { type Api, api, unwrap } from '../../api/client';
import { useText } from '../../text';
import { List, usePages } from '../../ui/list';
import { Badge, Deed, Field, Panel, Time } from '../../ui/parts';

type Purpose = Api<'SigningKeyInput'>['purpose'];

const isPurpose = (text: string): text is Purpose => ['BUNDLE', 'CHECKPOINT', 'SEGMENT'].includes(text);

export function SigningKeys() {
  const { t } = useText();
  const [purpose, setPurpose] = useState<Purpose>('BUNDLE');
  const pages = usePages(['signing-keys'], (cursor) =>
    unwrap(api.GET('/v1/signing-keys', { params: { query: cursor === undefined ? {} : { cursor } } })),
  );
  const rotate = async (): Promise<void> => {
    const made = await unwrap(api.POST('/v1/signing-keys', { body: { purpose } }));
    await unwrap(api.POST('/v1/signing-keys/{id}/activate', { params: { path: { id: made.key_id } }, body: {} }));
    await pages.refetch();
  };
  return (
    <Panel title={t('Signing keys', 'Claves de firma')}>
      <div className="row">
        <Field
          label={t('Key that signs', 'Clave que firma')}
          value={purpose}
          onChange={(chosen) => {
            if (isPurpose(chosen)) setPurpose(chosen);
          }}
          options={[
            ['BUNDLE', t('bundles', 'expedientes')],
            ['CHECKPOINT', t('checkpoints', 'puntos de control')],
            ['SEGMENT', t('segments', 'segmentos')],
          ]}
        />
        <Deed label={t('Rotate this key', 'Rotar esta clave')} run={rotate} />
      </div>
      <List
        label={t('Signing keys', 'Claves de firma')}
        pages={pages}
        keyOf={(key) => key.key_id}
        empty={t('No key yet. The first signature makes one.', 'Ninguna clave todavía. La primera firma crea una.')}
        columns={[
          [t('Purpose', 'Finalidad'), (key) => key.purpose],
          [t('Status', 'Estado'), (key) => <Badge>{key.status}</Badge>],
          [t('Thumbprint', 'Huella'), (key) => <code>{key.thumbprint}</code>],
          [t('Active since', 'Activa desde'), (key) => <Time at={key.activated_at} />],
        ]}
      />
    </Panel>
  );
}
