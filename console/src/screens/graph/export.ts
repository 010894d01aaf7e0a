import { colourOf, labelOf, type Placed } from './layout';
import type { GraphView } from './shape';

// Files of the graph as it is shown.

const MARGIN = 160;
const NODE_PX = 8;

/** Text for XML 1.0, without the characters that it cannot hold. */
const xml = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 allows no control characters but tab and ends of lines.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

export function toSvg(view: GraphView, places: ReadonlyMap<string, Placed>): string {
  const all = [...places.values()];
  const xs = all.map(({ x }) => x);
  const ys = all.map(({ y }) => y);
  const [left, top] = [least(xs) - MARGIN, least(ys) - MARGIN];
  const [width, height] = [-least(xs.map((x) => -x)) - left + MARGIN, -least(ys.map((y) => -y)) - top + MARGIN];
  const lines = view.edges.flatMap(({ from, to, kind }) => {
    const [a, b] = [places.get(from), places.get(to)];
    if (!a || !b) return [];
    return [`<line x1="${a.x}" y1="${a.y}" x2="${b.x}" y2="${b.y}"><title>${xml(kind)}</title></line>`];
  });
  const nodes = all.map(
    ({ node, x, y }) =>
      `<g><title>${xml(node.id)}</title><circle cx="${x}" cy="${y}" r="${NODE_PX}" fill="${colourOf(node.kind)}"/>` +
      `<text x="${x + NODE_PX + 2}" y="${y + 4}">${xml(labelOf(node))}</text></g>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left} ${top} ${width} ${height}" width="${width}" height="${height}">`,
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="#ffffff"/>`,
    `<g stroke="#c9d0d9">${lines.join('')}</g>`,
    `<g font-family="sans-serif" font-size="11" fill="#1b2430">${nodes.join('')}</g>`,
    '</svg>',
  ].join('\n');
}

const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);

const NODE_KEYS = ['kind', 'label', 'status', 'at'] as const;
const EDGE_KEYS = ['kind', 'at', 'event_id'] as const;

export function toGraphml({ nodes, edges }: GraphView): string {
  const keys = [
    ...NODE_KEYS.map((name) => `<key id="n_${name}" for="node" attr.name="${name}" attr.type="string"/>`),
    ...EDGE_KEYS.map((name) => `<key id="e_${name}" for="edge" attr.name="${name}" attr.type="string"/>`),
  ];
  const data = (key: string, value: string | null | undefined): string =>
    value ? `<data key="${key}">${xml(value)}</data>` : '';
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ...keys,
    '<graph edgedefault="directed">',
    ...nodes.map(
      (node) => `<node id="${xml(node.id)}">${NODE_KEYS.map((name) => data(`n_${name}`, node[name])).join('')}</node>`,
    ),
    ...edges.map(
      (edge) =>
        `<edge source="${xml(edge.from)}" target="${xml(edge.to)}">` +
        `${EDGE_KEYS.map((name) => data(`e_${name}`, edge[name])).join('')}</edge>`,
    ),
    '</graph>',
    '</graphml>',
  ].join('\n');
}
