import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, api, isConflict, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { useText } from '../../text';
import { Badge, Deed, Field, Form, Panel } from '../../ui/parts';
import { Empty, Loaded } from '../../ui/states';
import { isRedactable, type Marks, NO_MARKS, pagesOf, type Region } from './marks';

interface RedactionsProps {
  readonly document: Api<'Document'>;
  readonly marks: Marks;
  readonly onMarks: (marks: Marks) => void;
  readonly onApplied: () => void;
}

/** One person drafts a redaction, another reviews and applies it; the service refuses the same one. */
export function Redactions({ document, marks, onMarks, onApplied }: RedactionsProps) {
  const { t } = useText();
  const { may } = useSigned();
  const [changed, setChanged] = useState<string | null>(null);
  const id = document.document_id;
  const list = useQuery({
    queryKey: ['redactions', id],
    queryFn: () => unwrap(api.GET('/v1/redactions', { params: { query: { subject_id: id } } })),
  });
  const apply = (read: Api<'Redaction'>) => async (): Promise<void> => {
    const params = { path: { id: read.redaction_id } };
    try {
      await unwrap(api.POST('/v1/redactions/{id}/apply', { params, body: { revision: read.revision } }));
    } catch (error) {
      const now = isConflict(error) ? (await list.refetch()).data : undefined;
      const after = now?.items.find(({ redaction_id }) => redaction_id === read.redaction_id);
      if (after === undefined || after.revision === read.revision) throw error;
      setChanged(read.redaction_id);
      return;
    }
    setChanged(null);
    await list.refetch();
    onApplied();
  };
  const canRedact = isRedactable(document.media_type);
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
                  {changed === redaction.redaction_id && (
                    <span role="alert">
                      {t('It has changed. Review it again. ', 'Ha cambiado. Revísela de nuevo. ')}
                    </span>
                  )}
                  <Pages redaction={redaction} />
                  {redaction.terms && (
                    <span>
                      {t('hides', 'oculta')}: {redaction.terms.join(', ')}{' '}
                    </span>
                  )}
                  {redaction.status === 'DRAFT' && may('redactions:apply') && (
                    <Deed label={t('Reviewed: apply it', 'Revisada: aplicarla')} run={apply(redaction)} />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {may('redactions:write') && canRedact && (
        <Draft document={document} marks={marks} onMarks={onMarks} onDone={() => void list.refetch()} />
      )}
      {!canRedact && (
        <p className="quiet">
          {t(
            'The service redacts plain text, PDF, PNG and JPEG only.',
            'El servicio solo oculta partes de texto simple, PDF, PNG y JPEG.',
          )}
        </p>
      )}
    </Panel>
  );
}

function Pages({ redaction }: { readonly redaction: Api<'Redaction'> }) {
  const { t } = useText();
  if (redaction.pages.length === 0) return null;
  const parts = redaction.pages.map(({ page, regions }) =>
    regions
      ? t(`page ${page}: ${regions.length} regions`, `página ${page}: ${regions.length} regiones`)
      : t(`page ${page}`, `página ${page}`),
  );
  return <span>{parts.join('; ')} </span>;
}

interface DraftProps extends Omit<RedactionsProps, 'onApplied'> {
  readonly onDone: () => void;
}

function Draft({ document, marks, onMarks, onDone }: DraftProps) {
  const { t } = useText();
  const [reason, setReason] = useState('');
  const [basis, setBasis] = useState('');
  const isText = document.media_type.startsWith('text/plain');
  const isImage = document.media_type.startsWith('image/');
  const terms = marks.passages.split('\n').filter((part) => part.trim() !== '');
  const pages = pagesOf(marks);
  const draft = async (): Promise<void> => {
    const hidden = isText ? { terms } : { pages };
    const subject = { kind: 'DOCUMENT', id: document.document_id } as const;
    await unwrap(api.POST('/v1/redactions', { body: { subject, reason, basis, ...hidden } }));
    onMarks(NO_MARKS);
    onDone();
  };
  return (
    <Form submit={t('Draft the redaction', 'Redactar la ocultación')} onSubmit={draft}>
      {isText ? (
        <Field
          label={t('Passages to hide, one a line', 'Pasajes que ocultar, uno por línea')}
          value={marks.passages}
          onChange={(passages) => onMarks({ ...marks, passages })}
          rows={3}
          required
        />
      ) : (
        <>
          <Field
            label={t('Whole pages to hide', 'Páginas enteras que ocultar')}
            value={marks.pages}
            onChange={(text) => onMarks({ ...marks, pages: text })}
            required={marks.regions.length === 0}
            hint={
              isImage
                ? t('1 hides the whole image.', '1 oculta toda la imagen.')
                : t('Numbers, separated by commas.', 'Números separados por comas.')
            }
          />
          <Regions isImage={isImage} regions={marks.regions} onRegions={(regions) => onMarks({ ...marks, regions })} />
        </>
      )}
      <Field label={t('Reason', 'Motivo')} value={reason} onChange={setReason} required />
      <Field label={t('Basis', 'Fundamento')} value={basis} onChange={setBasis} required />
    </Form>
  );
}

const NEW_REGION: Region = { page: 1, x: 72, y: 72, width: 144, height: 18 };

interface RegionsProps {
  readonly isImage: boolean;
  readonly regions: readonly Region[];
  readonly onRegions: (regions: readonly Region[]) => void;
}

/** The marked regions as numbers, for readers who do not drag. */
function Regions({ isImage, regions, onRegions }: RegionsProps) {
  const { t } = useText();
  const names: readonly (readonly [keyof Region, string])[] = [
    ['page', t('Page', 'Página')],
    ['x', t('From the left', 'Desde la izquierda')],
    ['y', t('From the top', 'Desde arriba')],
    ['width', t('Width', 'Ancho')],
    ['height', t('Height', 'Alto')],
  ];
  const change = (at: number, name: keyof Region, value: string): void =>
    onRegions(regions.map((region, i) => (i === at ? { ...region, [name]: Number(value) } : region)));
  return (
    <fieldset>
      <legend>
        {isImage
          ? t('Regions to hide, in pixels', 'Regiones que ocultar, en píxeles')
          : t('Regions to hide, in points', 'Regiones que ocultar, en puntos')}
      </legend>
      {regions.map((region, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a region is its place in the list; its numbers change as they are typed.
        <div key={at} className="row" data-region>
          {names.map(([name, label]) => (
            <label key={name}>
              {label}{' '}
              <input
                type="number"
                min={name === 'page' ? 1 : 0}
                step="any"
                size={6}
                value={region[name]}
                onChange={(event) => change(at, name, event.target.value)}
              />
            </label>
          ))}
          <button type="button" onClick={() => onRegions(regions.filter((_, i) => i !== at))}>
            {t(`Remove region ${at + 1}`, `Quitar la región ${at + 1}`)}
          </button>
        </div>
      ))}
      <button type="button" onClick={() => onRegions([...regions, NEW_REGION])}>
        {t('Add a region', 'Añadir una región')}
      </button>
    </fieldset>
  );
}
