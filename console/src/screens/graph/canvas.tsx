import { type PointerEvent, type RefObject, useEffect, useMemo, useRef } from 'react';
import { useText } from '../../text';
import { colourOf, labelOf, type Placed } from './layout';
import type { GraphView } from './shape';

const NODE_PX = 8;
const HEIGHT_PX = 480;
/** Labels of more nodes would cover each other. */
const MAX_LABELS = 200;

interface Camera {
  x: number;
  y: number;
  zoom: number;
}

interface CanvasProps {
  readonly view: GraphView;
  readonly places: ReadonlyMap<string, Placed>;
  /** Edges that are drawn strongly, as `from` and `to` with a line end between them. */
  readonly marked: ReadonlySet<string>;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly onChoose: (id: string) => void;
}

/**
 * Draws the graph. Drag a node or the ground, turn the wheel to zoom, click a node to choose it. A drag changes places and
 * camera outside React and asks for one drawing a frame, so that 5,000 nodes stay fluid.
 */
export function GraphCanvas({ view, places, marked, canvas, onChoose }: CanvasProps) {
  const { t } = useText();
  const camera = useRef<Camera>({ x: 0, y: 0, zoom: 1 });
  const held = useRef<{ readonly node: Placed | null; moved: boolean } | null>(null);
  const scene = useMemo(() => sceneOf(view, places, marked), [view, places, marked]);
  const frame = useRef(0);
  const redraw = useMemo(
    () => (): void => {
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(() => {
        if (canvas.current !== null) draw(canvas.current, scene, camera.current);
      });
    },
    [canvas, scene],
  );
  useEffect(() => {
    redraw();
    addEventListener('resize', redraw);
    const theme = new MutationObserver(redraw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      cancelAnimationFrame(frame.current);
      removeEventListener('resize', redraw);
      theme.disconnect();
    };
  }, [redraw]);
  const move = (event: PointerEvent): void => {
    if (held.current === null) return;
    const [dx, dy] = [event.movementX / camera.current.zoom, event.movementY / camera.current.zoom];
    if (Math.abs(dx) + Math.abs(dy) > 0) held.current.moved = true;
    const { node } = held.current;
    const target = node ?? camera.current;
    target.x += dx;
    target.y += dy;
    redraw();
  };
  const release = (): void => {
    const { current } = held;
    held.current = null;
    if (current?.node && !current.moved) onChoose(current.node.node.id);
  };
  return (
    <canvas
      ref={canvas}
      className="graph"
      role="img"
      aria-label={t(
        'The graph; the same data are in the table below.',
        'El grafo; los mismos datos están en la tabla.',
      )}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        held.current = { node: nodeAt(event, places, camera.current), moved: false };
      }}
      onPointerMove={move}
      onPointerUp={release}
      onWheel={(event) => {
        camera.current.zoom = Math.min(4, Math.max(0.05, camera.current.zoom * (event.deltaY < 0 ? 1.1 : 0.9)));
        redraw();
      }}
    />
  );
}

function nodeAt(event: PointerEvent, places: ReadonlyMap<string, Placed>, camera: Camera): Placed | null {
  const box = event.currentTarget.getBoundingClientRect();
  const x = (event.clientX - box.left - box.width / 2) / camera.zoom - camera.x;
  const y = (event.clientY - box.top - HEIGHT_PX / 2) / camera.zoom - camera.y;
  for (const place of places.values())
    if (Math.hypot(place.x - x, place.y - y) <= NODE_PX / camera.zoom + 4) return place;
  return null;
}

type Line = readonly [Placed, Placed];

interface Scene {
  readonly lines: readonly Line[];
  readonly strong: readonly Line[];
  /** Nodes by colour: one path a colour costs far less than one a node. */
  readonly dots: ReadonlyMap<string, readonly Placed[]>;
  readonly labels: readonly Placed[];
}

function sceneOf(view: GraphView, places: ReadonlyMap<string, Placed>, marked: ReadonlySet<string>): Scene {
  const lines: Line[] = [];
  const strong: Line[] = [];
  for (const { from, to } of view.edges) {
    const [a, b] = [places.get(from), places.get(to)];
    if (a && b) (marked.has(`${from}\n${to}`) || marked.has(`${to}\n${from}`) ? strong : lines).push([a, b]);
  }
  const dots = new Map<string, Placed[]>();
  for (const place of places.values()) {
    const colour = colourOf(place.node.kind);
    const same = dots.get(colour);
    if (same) same.push(place);
    else dots.set(colour, [place]);
  }
  return { lines, strong, dots, labels: places.size <= MAX_LABELS ? [...places.values()] : [] };
}

function draw(canvas: HTMLCanvasElement, scene: Scene, camera: Camera): void {
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  const scale = devicePixelRatio;
  const [width, height] = [Math.round(canvas.clientWidth * scale), HEIGHT_PX * scale];
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const style = getComputedStyle(canvas);
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, width, height);
  const zoom = camera.zoom * scale;
  pen.setTransform(zoom, 0, 0, zoom, width / 2 + camera.x * zoom, height / 2 + camera.y * zoom);
  drawLines(pen, scene.lines, style.getPropertyValue('--line'), 1);
  drawLines(pen, scene.strong, style.getPropertyValue('--accent'), 3);
  for (const [colour, dots] of scene.dots) {
    pen.fillStyle = colour;
    pen.beginPath();
    for (const { x, y } of dots) {
      pen.moveTo(x + NODE_PX, y);
      pen.arc(x, y, NODE_PX, 0, 2 * Math.PI);
    }
    pen.fill();
  }
  pen.font = '11px system-ui';
  pen.fillStyle = style.getPropertyValue('--ink');
  for (const { node, x, y } of scene.labels) pen.fillText(labelOf(node), x + NODE_PX + 2, y + 4);
}

function drawLines(pen: CanvasRenderingContext2D, lines: readonly Line[], colour: string, width: number): void {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  for (const [a, b] of lines) {
    pen.moveTo(a.x, a.y);
    pen.lineTo(b.x, b.y);
  }
  pen.stroke();
}
