import type { PDFDocumentProxy } from 'pdfjs-dist';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../text';
import { Skeleton } from '../../ui/states';
import { Drawn, regionOf, useDrag } from './drag';
import type { Region } from './marks';
import { openPdf } from './pdf';

const MAX_WIDTH_PX = 900;

interface PdfPagesProps {
  readonly bytes: ArrayBuffer;
  readonly regions: readonly Region[];
  /** Null where the reader may not redact. */
  readonly onRegion: ((region: Region) => void) | null;
}

/** Shows a PDF page by page; dragging over a page marks a region of it. */
export function PdfPages({ bytes, regions, onRegion }: PdfPagesProps) {
  const { t } = useText();
  const [pdf, setPdf] = useState<PDFDocumentProxy | 'unreadable' | null>(null);
  const [number, setNumber] = useState(1);
  useEffect(() => {
    const task = openPdf(bytes);
    task.promise.then(setPdf, () => setPdf('unreadable'));
    return () => void task.destroy();
  }, [bytes]);
  if (pdf === null) return <Skeleton lines={8} />;
  if (pdf === 'unreadable')
    return <p className="note">{t('This PDF cannot be shown.', 'Este PDF no se puede mostrar.')}</p>;
  return (
    <>
      <p className="row">
        <button type="button" disabled={number <= 1} onClick={() => setNumber(number - 1)}>
          {t('Previous page', 'Página anterior')}
        </button>
        <span>{t(`Page ${number} of ${pdf.numPages}`, `Página ${number} de ${pdf.numPages}`)}</span>
        <button type="button" disabled={number >= pdf.numPages} onClick={() => setNumber(number + 1)}>
          {t('Next page', 'Página siguiente')}
        </button>
      </p>
      <PdfPage key={number} pdf={pdf} number={number} regions={regions} onRegion={onRegion} />
    </>
  );
}

interface PdfPageProps extends Omit<PdfPagesProps, 'bytes'> {
  readonly pdf: PDFDocumentProxy;
  readonly number: number;
}

function PdfPage({ pdf, number, regions, onRegion }: PdfPageProps) {
  const { t } = useText();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [scale, setScale] = useState<number | null>(null);
  const drag = useDrag((box) => {
    if (scale === null || onRegion === null) return;
    onRegion(regionOf(number, box, (px) => Math.round((px / scale) * 10) / 10));
  });
  useEffect(() => {
    let isOver = false;
    const show = async (): Promise<void> => {
      const page = await pdf.getPage(number);
      if (isOver || canvas.current === null) return;
      const inPoints = page.getViewport({ scale: 1 });
      const width = Math.min(MAX_WIDTH_PX, canvas.current.parentElement?.clientWidth ?? MAX_WIDTH_PX);
      const fit = width / inPoints.width;
      const viewport = page.getViewport({ scale: fit * devicePixelRatio });
      canvas.current.width = viewport.width;
      canvas.current.height = viewport.height;
      canvas.current.style.width = `${width}px`;
      canvas.current.style.height = `${inPoints.height * fit}px`;
      await page.render({ canvas: canvas.current, viewport }).promise;
      if (!isOver) setScale(fit);
    };
    // A page that is left while it is drawn ends with an error of no interest.
    show().catch(() => undefined);
    return () => {
      isOver = true;
    };
  }, [pdf, number]);
  const own = regions.filter(({ page }) => page === number);
  return (
    <div className="page" data-drawn={scale !== null}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={t(`Page ${number}`, `Página ${number}`)}
        {...(onRegion === null ? {} : drag.handlers)}
      />
      {scale !== null && <Drawn regions={own} scale={scale} box={drag.box} />}
    </div>
  );
}
