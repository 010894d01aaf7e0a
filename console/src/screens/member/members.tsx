import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { go, Link } from '../../router';
import { useText } from '../../text';
import { List, usePages } from '../../ui/list';
import { Badge, Field, Form } from '../../ui/parts';

export default function Members() {
  const { t } = useText();
  const { may } = useSigned();
  const [id, setId] = useState('');
  const open = async (): Promise<void> => go(`/members/${encodeURIComponent(id.trim())}`);
  return (
    <>
      <h1>{t('Members', 'Afiliados')}</h1>
      <Form submit={t('Open the timeline', 'Abrir la cronología')} onSubmit={open}>
        <Field label={t('Member identifier', 'Identificador del afiliado')} value={id} onChange={setId} required />
      </Form>
      {may('members:read') && <Directory />}
    </>
  );
}

function Directory() {
  const { t } = useText();
  const pages = usePages(['members'], (cursor) =>
    unwrap(api.GET('/v1/members', { params: { query: cursor === undefined ? {} : { cursor } } })),
  );
  return (
    <>
      <h2>{t('Directory', 'Directorio')}</h2>
      <List
        label={t('Directory', 'Directorio')}
        pages={pages}
        keyOf={(member) => member.member_id}
        empty={t(
          'The directory is empty. Members known only from events are found by identifier above.',
          'El directorio está vacío. Busque arriba por identificador.',
        )}
        columns={[
          [
            t('Member', 'Afiliado'),
            (member) => <Link to={`/members/${encodeURIComponent(member.member_id)}`}>{member.member_id}</Link>,
          ],
          [t('Name', 'Nombre'), (member) => `${member.name.given.join(' ')} ${member.name.family ?? ''}`],
          [t('Born', 'Nacimiento'), (member) => member.birth_date ?? '—'],
          [t('Status', 'Estado'), (member) => <Badge>{member.status}</Badge>],
        ]}
      />
    </>
  );
}
