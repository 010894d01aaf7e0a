import { type PointerEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { Api } from '../../api/client';
import { useText } from '../../text';
import { type Placed, placed } from './layout';

const COLOURS: Readonly<Record<string, string>> = {
  member: '#0b57a4',
  event: '#14622f',
  claim: '#7a3e9d',
  code: '#9a6700',
  provider: '#a4346b',
  document: '#4f5b6b',
  bundle: '#0f6f7a',
  matter: '#9b1c16',
  hold: '#9b1c16',
  rule: '#5b5f1d',
};
const NODE_PX = 8;
const HEIGHT_PX = 480;

interface CanvasProps {
  readonly view: Api<'GraphView'>;
  readonly start: string;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly onOpen: (id: string) => void;
}

/** Draws the graph. Drag a node or the ground, turn the wheel to zoom, click a node to go on from it. */
export function GraphCanvas({ view, start, canvas, onOpen }: CanvasProps) {
  const { t } = useText();
  const places = useMemo(() => placed(start, view.nodes, view.edges), [start, view]);
  const [camera, setCamera] = useState({ x: 0, y: 0, zoom: 1 });
  const held = useRef<{ readonly node: Placed | null; moved: boolean } | null>(null);
  const [drawing, redraw] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a drag changes a place in its map, and asks for a drawing.
  useEffect(() => {
    const element = canvas.current;
    if (element !== null) draw(element, view, places, camera);
  }, [canvas, view, places, camera, drawing]);
  const at = (event: PointerEvent): Placed | null => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = (event.clientX - box.left - box.width / 2) / camera.zoom - camera.x;
    const y = (event.clientY - box.top - HEIGHT_PX / 2) / camera.zoom - camera.y;
    for (const place of places.values())
      if (Math.hypot(place.x - x, place.y - y) <= NODE_PX / camera.zoom + 4) return place;
    return null;
  };
  const move = (event: PointerEvent): void => {
    if (held.current === null) return;
    const [dx, dy] = [event.movementX / camera.zoom, event.movementY / camera.zoom];
    if (Math.abs(dx) + Math.abs(dy) > 0) held.current.moved = true;
    const { node } = held.current;
    if (node === null) {
      setCamera({ ...camera, x: camera.x + dx, y: camera.y + dy });
      return;
    }
    node.x += dx;
    node.y += dy;
    redraw((count) => count + 1);
  };
  const release = (): void => {
    const { current } = held;
    held.current = null;
    if (current?.node && !current.moved) onOpen(current.node.node.id);
  };
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={t(
        'The graph; the same data are in the table below.',
        'El grafo; los mismos datos están en la tabla.',
      )}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        held.current = { node: at(event), moved: false };
      }}
      onPointerMove={move}
      onPointerUp={release}
      onWheel={(event) =>
        setCamera({ ...camera, zoom: Math.min(4, Math.max(0.05, camera.zoom * (event.deltaY < 0 ? 1.1 : 0.9))) })
      }
    />
  );
}

function draw(
  canvas: HTMLCanvasElement,
  view: Api<'GraphView'>,
  places: ReadonlyMap<string, Placed>,
  camera: { x: number; y: number; zoom: number },
): void {
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  const width = canvas.clientWidth;
  const scale = devicePixelRatio;
  canvas.width = width * scale;
  canvas.height = HEIGHT_PX * scale;
  const style = getComputedStyle(canvas);
  pen.setTransform(
    camera.zoom * scale,
    0,
    0,
    camera.zoom * scale,
    (width / 2 + camera.x * camera.zoom) * scale,
    (HEIGHT_PX / 2 + camera.y * camera.zoom) * scale,
  );
  pen.strokeStyle = style.getPropertyValue('--line');
  pen.beginPath();
  for (const { from, to } of view.edges) {
    const [a, b] = [places.get(from), places.get(to)];
    if (!a || !b) continue;
    pen.moveTo(a.x, a.y);
    pen.lineTo(b.x, b.y);
  }
  pen.stroke();
  const ink = style.getPropertyValue('--ink');
  const isFew = view.nodes.length <= 200;
  pen.font = '11px system-ui';
  for (const { node, x, y } of places.values()) {
    pen.fillStyle = COLOURS[node.kind] ?? '#4f5b6b';
    pen.beginPath();
    pen.arc(x, y, NODE_PX, 0, 2 * Math.PI);
    pen.fill();
    if (!isFew) continue;
    pen.fillStyle = ink;
    pen.fillText(node.label ?? node.id.slice(node.id.indexOf(':') + 1, 40), x + NODE_PX + 2, y + 4);
  }
}
