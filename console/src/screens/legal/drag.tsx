import { type PointerEvent, useRef, useState } from 'react';
import type { Region } from './marks';

/** A smaller drag is a click. */
const MIN_DRAG_PX = 4;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The region of a page that a drawn box covers. */
export const regionOf = (page: number, { x, y, width, height }: Box, unit: (px: number) => number): Region => ({
  page,
  x: unit(x),
  y: unit(y),
  width: unit(width),
  height: unit(height),
});

/** The rectangle that the pointer draws over an element, in its pixels and within it. */
export function useDrag(onBox: (box: Box) => void) {
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

interface DrawnProps {
  readonly regions: readonly Region[];
  /** Pixels of the screen for a unit of the regions. */
  readonly scale: number;
  readonly box: Box | null;
}

/** The marked regions over a page, and the one that is being drawn. */
export const Drawn = ({ regions, scale, box }: DrawnProps) => (
  <>
    {regions.map(({ x, y, width, height }) => (
      <span
        key={`${x} ${y} ${width} ${height}`}
        className="region"
        style={{ left: x * scale, top: y * scale, width: width * scale, height: height * scale }}
      />
    ))}
    {box && <span className="region drawn" style={{ left: box.x, top: box.y, width: box.width, height: box.height }} />}
  </>
);
