import type { PDFDocumentProxy } from 'pdfjs-dist';
import { type PointerEvent, useEffect, useRef, useState } from 'react';
import { useText } from '../../text';
import { Skeleton } from '../../ui/states';
import type { Region } from './marks';
import { openPdf } from './pdf';

/** A smaller drag is a click. */
const MIN_DRAG_PX = 4;
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

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function PdfPage({ pdf, number, regions, onRegion }: PdfPageProps) {
  const { t } = useText();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [scale, setScale] = useState<number | null>(null);
  const drag = useDrag((box) => {
    if (scale === null || onRegion === null) return;
    const points = (px: number): number => Math.round((px / scale) * 10) / 10;
    onRegion({
      page: number,
      x: points(box.x),
      y: points(box.y),
      width: points(box.width),
      height: points(box.height),
    });
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
      {scale !== null &&
        own.map((region) => (
          <span
            key={`${region.x} ${region.y} ${region.width} ${region.height}`}
            className="region"
            style={{
              left: region.x * scale,
              top: region.y * scale,
              width: region.width * scale,
              height: region.height * scale,
            }}
          />
        ))}
      {drag.box && (
        <span
          className="region drawn"
          style={{ left: drag.box.x, top: drag.box.y, width: drag.box.width, height: drag.box.height }}
        />
      )}
    </div>
  );
}

/** The rectangle that the pointer draws over an element, in its pixels and within it. */
function useDrag(onBox: (box: Box) => void) {
  const from = useRef<{ readonly x: number; readonly y: number } | null>(null);
  const [box, setBox] = useState<Box | null>(null);
  const at = (event: PointerEvent<HTMLElement>) => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    const within = (value: number, most: number): number => Math.min(most, Math.max(0, value));
    return { x: within(event.clientX - left, width), y: within(event.clientY - top, height) };
  };
  const boxTo = (to: { readonly x: number; readonly y: number }): Box | null => {
    if (from.current === null) return null;
    const { x, y } = from.current;
    return { x: Math.min(x, to.x), y: Math.min(y, to.y), width: Math.abs(x - to.x), height: Math.abs(y - to.y) };
  };
  return {
    box,
    handlers: {
      onPointerDown: (event: PointerEvent<HTMLElement>): void => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = at(event);
      },
      onPointerMove: (event: PointerEvent<HTMLElement>): void => setBox(boxTo(at(event))),
      onPointerUp: (event: PointerEvent<HTMLElement>): void => {
        const drawn = boxTo(at(event));
        from.current = null;
        setBox(null);
        if (drawn !== null && drawn.width >= MIN_DRAG_PX && drawn.height >= MIN_DRAG_PX) onBox(drawn);
      },
      onPointerCancel: (): void => {
        from.current = null;
        setBox(null);
      },
    },
  };
}
