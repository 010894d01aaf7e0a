import { useState } from 'react';
import { api, send, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { Link, refine, usePlace } from '../../router';
import { useText } from '../../text';
import { FilterField } from '../../ui/filter-field';
import { List, usePages } from '../../ui/list';
import { Badge, Field, Form, Panel, Time } from '../../ui/parts';

export default function Documents() {
  const { t } = useText();
  const { may } = useSigned();
  const { query } = usePlace();
  const where = Object.fromEntries(
    ['member_id', 'sha256'].flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])),
  );
  const pages = usePages(['documents', where], (cursor) =>
    unwrap(api.GET('/v1/documents', { params: { query: { ...where, ...(cursor === undefined ? {} : { cursor }) } } })),
  );
  return (
    <>
      <h1>{t('Documents', 'Documentos')}</h1>
      {may('documents:write') && <Upload onDone={() => void pages.refetch()} />}
      <div className="row">
        <FilterField
          label={t('Member', 'Afiliado')}
          value={query.get('member_id') ?? ''}
          onApply={(value) => refine({ member_id: value })}
        />
      </div>
      <List
        label={t('Documents', 'Documentos')}
        pages={pages}
        keyOf={(document) => document.document_id}
        empty={t('No document fits. Upload one above.', 'Ningún documento coincide. Suba uno arriba.')}
        columns={[
          [
            t('Document', 'Documento'),
            (document) => <Link to={`/documents/${document.document_id}`}>{document.title ?? document.filename}</Link>,
          ],
          [t('Kind', 'Tipo'), (document) => document.document_type ?? document.media_type],
          [t('Member', 'Afiliado'), (document) => document.member_ids.join(', ') || '—'],
          [t('Status', 'Estado'), (document) => <Badge>{document.status}</Badge>],
          [t('Received', 'Recibido'), (document) => <Time at={document.created_at} />],
        ]}
      />
    </>
  );
}

function Upload({ onDone }: { readonly onDone: () => void }) {
  const { t } = useText();
  const [file, setFile] = useState<File | null>(null);
  const [member, setMember] = useState('');
  const upload = async (): Promise<void> => {
    if (file === null) return;
    const form = new FormData();
    if (member.trim() !== '') form.append('member_id', member.trim());
    form.append('file', file);
    await send('/v1/documents', { method: 'POST', body: form });
    setFile(null);
    onDone();
  };
  return (
    <Panel title={t('Upload a document', 'Subir un documento')}>
      <Form submit={t('Upload', 'Subir')} onSubmit={upload}>
        <Field label={t('Member of the document', 'Afiliado del documento')} value={member} onChange={setMember} />
        <div className="field">
          <label htmlFor="document-file">{t('File', 'Archivo')}</label>
          <input
            id="document-file"
            type="file"
            required
            onChange={(event) => setFile(event.target.files?.[0] ?? null)}
          />
        </div>
      </Form>
    </Panel>
  );
}
