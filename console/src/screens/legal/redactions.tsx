import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { useText } from '../../text';
import { Badge, Deed, Field, Form, Panel } from '../../ui/parts';
import { Empty, Loaded } from '../../ui/states';

interface RedactionsProps {
  readonly document: Api<'Document'>;
  readonly onApplied: () => void;
}

/** One person drafts a redaction, another reviews and applies it; the service refuses the same one. */
export function Redactions({ document, onApplied }: RedactionsProps) {
  const { t } = useText();
  const { may } = useSigned();
  const id = document.document_id;
  const list = useQuery({
    queryKey: ['redactions', id],
    queryFn: () => unwrap(api.GET('/v1/redactions', { params: { query: { subject_id: id } } })),
  });
  const apply = (redaction: string) => async (): Promise<void> => {
    await unwrap(api.POST('/v1/redactions/{id}/apply', { params: { path: { id: redaction } } }));
    await list.refetch();
    onApplied();
  };
  const isText = document.media_type.startsWith('text/');
  return (
    <Panel title={t('Redactions', 'Ocultaciones')}>
      <Loaded query={list} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>{t('No redaction.', 'Ninguna ocultación.')}</Empty>
          ) : (
            <ul>
              {items.map((redaction) => (
                <li key={redaction.redaction_id}>
                  <Badge>{redaction.status}</Badge> {redaction.reason} ({redaction.basis}){' '}
                  {redaction.terms && (
                    <span>
                      {t('hides', 'oculta')}: {redaction.terms.join(', ')}{' '}
                    </span>
                  )}
                  {redaction.status === 'DRAFT' && may('redactions:apply') && (
                    <Deed label={t('Reviewed: apply it', 'Revisada: aplicarla')} run={apply(redaction.redaction_id)} />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {may('redactions:write') && <Draft id={id} isText={isText} onDone={() => void list.refetch()} />}
    </Panel>
  );
}

interface DraftProps {
  readonly id: string;
  readonly isText: boolean;
  readonly onDone: () => void;
}

function Draft({ id, isText, onDone }: DraftProps) {
  const { t } = useText();
  const [what, setWhat] = useState('');
  const [reason, setReason] = useState('');
  const [basis, setBasis] = useState('');
  const draft = async (): Promise<void> => {
    const parts = what.split(isText ? '\n' : /[\s,]+/).filter((part) => part.trim() !== '');
    const hidden = isText ? { terms: parts } : { pages: parts.map((page) => ({ page: Number(page) })) };
    await unwrap(api.POST('/v1/redactions', { body: { subject: { kind: 'DOCUMENT', id }, reason, basis, ...hidden } }));
    setWhat('');
    onDone();
  };
  return (
    <Form submit={t('Draft the redaction', 'Redactar la ocultación')} onSubmit={draft}>
      {isText ? (
        <Field
          label={t('Passages to hide, one a line', 'Pasajes que ocultar, uno por línea')}
          value={what}
          onChange={setWhat}
          rows={3}
          required
        />
      ) : (
        <Field
          label={t('Pages to hide', 'Páginas que ocultar')}
          value={what}
          onChange={setWhat}
          required
          hint={t('Numbers, separated by commas.', 'Números separados por comas.')}
        />
      )}
      <Field label={t('Reason', 'Motivo')} value={reason} onChange={setReason} required />
      <Field label={t('Basis', 'Fundamento')} value={basis} onChange={setBasis} required />
    </Form>
  );
}
