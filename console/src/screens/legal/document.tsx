import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { type Api, api, save, send, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { Link } from '../../router';
import { useText } from '../../text';
import { Badge, Deed, Details, Field, Form, Panel, Time } from '../../ui/parts';
import { Loaded, Skeleton } from '../../ui/states';
import { CustodyOf } from './custody';
import { ImagePage } from './image-page';
import { isRedactable, MAX_PASSAGE_LENGTH, type Marks, NO_MARKS, passageOf, type Region } from './marks';
import { Redactions } from './redactions';

/** The library for PDF loads when one is shown. */
const PdfPages = lazy(async () => ({ default: (await import('./pdf-pages')).PdfPages }));

export default function DocumentScreen({ id }: { readonly id: string }) {
  const { t } = useText();
  const { may } = useSigned();
  const [marks, setMarks] = useState(NO_MARKS);
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
                  found.member_ids.length === 0
                    ? null
                    : found.member_ids.map((member) => (
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
          {found.status === 'AVAILABLE' && (
            <Content document={found} marks={marks} onMarks={may('redactions:write') ? setMarks : null} />
          )}
          {found.status === 'AVAILABLE' && may('redactions:read') && (
            <Redactions document={found} marks={marks} onMarks={setMarks} onApplied={reload} />
          )}
          {may('custody:read') && <CustodyOf kind="DOCUMENT" id={id} />}
        </>
      )}
    </Loaded>
  );
}

type Shown =
  | { readonly kind: 'image'; readonly address: string }
  | { readonly kind: 'pdf'; readonly bytes: ArrayBuffer }
  | { readonly kind: 'text'; readonly text: string };

function kindOf(mediaType: string): Shown['kind'] | null {
  if (mediaType.startsWith('image/')) return 'image';
  if (mediaType === 'application/pdf') return 'pdf';
  return mediaType.startsWith('text/') ? 'text' : null;
}

interface ContentProps {
  readonly document: Api<'Document'>;
  readonly marks: Marks;
  /** Null where the reader may not redact. */
  readonly onMarks: ((marks: Marks) => void) | null;
}

function Content({ document, marks, onMarks }: ContentProps) {
  const { t } = useText();
  const [shown, setShown] = useState<Shown | null>(null);
  const path = `/v1/documents/${document.document_id}`;
  const kind = kindOf(document.media_type);
  useEffect(() => () => (shown?.kind === 'image' ? URL.revokeObjectURL(shown.address) : undefined), [shown]);
  const show = async (): Promise<void> => {
    const response = await send(path);
    if (kind === 'text') setShown({ kind, text: await response.text() });
    else if (kind === 'pdf') setShown({ kind, bytes: await response.arrayBuffer() });
    else if (kind === 'image') setShown({ kind, address: URL.createObjectURL(await response.blob()) });
  };
  const addRegion = (region: Region): void => onMarks?.({ ...marks, regions: [...marks.regions, region] });
  const addPassage = (passage: string): void =>
    onMarks?.({ ...marks, passages: [marks.passages.trimEnd(), passage].filter((part) => part !== '').join('\n') });
  return (
    <Panel title={t('Content', 'Contenido')}>
      <p className="quiet">
        {t('Reading the content is recorded in custody.', 'La lectura del contenido queda en custodia.')}
      </p>
      {kind !== null && shown === null && <Deed label={t('Show', 'Mostrar')} run={show} />}
      <Deed label={t('Save as a file', 'Guardar')} run={() => save(path, document.filename)} />
      {shown?.kind === 'image' && (
        <>
          {onMarks !== null && isRedactable(document.media_type) && <RegionHint />}
          <ImagePage
            address={shown.address}
            name={document.title ?? document.filename}
            regions={marks.regions}
            onRegion={onMarks === null || !isRedactable(document.media_type) ? null : addRegion}
          />
        </>
      )}
      {shown?.kind === 'text' && <Passages text={shown.text} onPassage={onMarks === null ? null : addPassage} />}
      {shown?.kind === 'pdf' && (
        <Suspense fallback={<Skeleton lines={8} />}>
          {onMarks !== null && <RegionHint />}
          <PdfPages bytes={shown.bytes} regions={marks.regions} onRegion={onMarks === null ? null : addRegion} />
        </Suspense>
      )}
    </Panel>
  );
}

function RegionHint() {
  const { t } = useText();
  return (
    <Hint>
      {t(
        'Drag over a part of a page to mark it for a redaction; the marked regions are listed below.',
        'Arrastre sobre una parte de la página para marcarla; las regiones marcadas se listan abajo.',
      )}
    </Hint>
  );
}

const Hint = ({ children }: { readonly children: ReactNode }) => <p className="quiet">{children}</p>;

interface PassagesProps {
  readonly text: string;
  readonly onPassage: ((passage: string) => void) | null;
}

/** A text; a selected passage of it can be marked for a redaction. */
function Passages({ text, onPassage }: PassagesProps) {
  const { t } = useText();
  const area = useRef<HTMLPreElement>(null);
  const [passage, setPassage] = useState('');
  useEffect(() => {
    const onSelect = (): void => {
      const selection = getSelection();
      const inside = selection?.rangeCount === 1 ? selection.getRangeAt(0) : null;
      const node = area.current?.firstChild;
      // The text is one node. A selection that reaches outside it names no passage.
      if (!inside || inside.startContainer !== node || inside.endContainer !== node) return;
      setPassage(passageOf(text, inside.startOffset, inside.endOffset));
    };
    document.addEventListener('selectionchange', onSelect);
    return () => document.removeEventListener('selectionchange', onSelect);
  }, [text]);
  return (
    <>
      <pre ref={area} data-text>
        {text}
      </pre>
      {onPassage !== null && (
        <>
          <Hint>
            {t(
              'Select a passage to mark it for a redaction. Whole words are hidden, wherever they occur.',
              'Seleccione un pasaje para marcarlo. Se ocultan palabras enteras, en todos los lugares.',
            )}
          </Hint>
          <button
            type="button"
            disabled={passage === '' || passage.length > MAX_PASSAGE_LENGTH}
            onClick={() => onPassage(passage)}
          >
            {t('Mark the selected passage', 'Marcar el pasaje seleccionado')}
          </button>{' '}
          {passage !== '' && <q>{passage}</q>}
          {passage.length > MAX_PASSAGE_LENGTH && (
            <p className="note">
              {t(
                `Select at most ${MAX_PASSAGE_LENGTH} characters at once.`,
                `Seleccione como máximo ${MAX_PASSAGE_LENGTH} caracteres cada vez.`,
              )}
            </p>
          )}
        </>
      )}
    </>
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
