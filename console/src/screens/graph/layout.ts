import type { Api } from '../../api/client';

export interface Placed {
  readonly node: Api<'GraphNode'>;
  x: number;
  y: number;
}

const RING = 130;
const LABEL_CHARACTERS = 40;

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

export const colourOf = (kind: string): string => COLOURS[kind] ?? '#4f5b6b';

export const labelOf = ({ id, label }: Api<'GraphNode'>): string =>
  label ?? id.slice(id.indexOf(':') + 1, LABEL_CHARACTERS);

/** Rings around the start, by distance: stable, and quick for thousands of nodes. */
export function placed(
  start: string,
  nodes: readonly Api<'GraphNode'>[],
  edges: readonly Api<'GraphEdge'>[],
): Map<string, Placed> {
  const near = new Map<string, string[]>();
  const note = (from: string, to: string): void => void (near.get(from)?.push(to) ?? near.set(from, [to]));
  for (const { from, to } of edges) {
    note(from, to);
    note(to, from);
  }
  const distance = new Map<string, number>([[start, 0]]);
  const queue = [start];
  for (let i = 0; i < queue.length; i++) {
    const here = queue[i] ?? '';
    for (const other of near.get(here) ?? []) {
      if (distance.has(other)) continue;
      distance.set(other, (distance.get(here) ?? 0) + 1);
      queue.push(other);
    }
  }
  const rings = new Map<number, Api<'GraphNode'>[]>();
  for (const node of nodes) {
    const ring = distance.get(node.id) ?? 1;
    rings.get(ring)?.push(node) ?? rings.set(ring, [node]);
  }
  const places = new Map<string, Placed>();
  for (const [ring, members] of rings) {
    const radius = ring === 0 ? 0 : Math.max(ring * RING, (members.length * 26) / (2 * Math.PI));
    for (const [i, node] of members.entries()) {
      const angle = (2 * Math.PI * i) / members.length;
      places.set(node.id, { node, x: radius * Math.cos(angle), y: radius * Math.sin(angle) });
    }
  }
  return places;
}
