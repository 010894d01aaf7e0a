import { z } from 'zod';
import type { RouteCall } from '../route.js';
import { resumed } from './content.js';
import { asksFor, StreamedAnswer } from './streamed-answer.js';

export const GRAPHML = 'application/graphml+xml';
const JSON_TYPE = 'application/json; charset=utf-8';

const ExportedNode = z.looseObject({ id: z.string(), kind: z.string() });
type ExportedNode = z.infer<typeof ExportedNode>;

/** Page of the root field `graphExport`. */
export const GraphPage = z.object({
  nodes: z.array(ExportedNode),
  edges: z.array(z.looseObject({ from: z.string(), to: z.string() })),
  truncated: z.boolean(),
  next_cursor: z.string().nullable(),
});
type GraphPage = z.infer<typeof GraphPage>;

type PageAt = (cursor: string | null) => Promise<GraphPage>;

/** Streams the export. Reads the first page before the status is sent, so that a rejection is an error answer. */
export async function graphExportAnswer(
  call: Pick<RouteCall, 'accept' | 'isHead'>,
  format: string | undefined,
  pageAt: PageAt,
): Promise<StreamedAnswer> {
  const isXml = format === undefined ? asksFor(call.accept, GRAPHML) : format === 'graphml';
  const type = isXml ? GRAPHML : JSON_TYPE;
  const headers = {
    'content-disposition': `attachment; filename="graph.${isXml ? 'graphml' : 'json'}"`,
    'x-content-type-options': 'nosniff',
  };
  const pieces = isXml ? graphmlOf(pageAt) : jsonOf(pageAt);
  const first = await pieces.next();
  if (!call.isHead) return new StreamedAnswer(type, resumed(first, pieces), { headers });
  await pieces.return(undefined);
  return new StreamedAnswer(type, [], { headers });
}

async function* pagesOf(pageAt: PageAt): AsyncGenerator<GraphPage> {
  for (let cursor: string | null = null; ; ) {
    const page: GraphPage = await pageAt(cursor);
    yield page;
    cursor = page.next_cursor;
    if (cursor === null) return;
  }
}

/** Finds new nodes. Nodes without a record appear when an edge first leads to them; only their ids are stored. */
class Met {
  readonly #ids = new Set<string>();

  newIn({ nodes, edges }: GraphPage): ExportedNode[] {
    // A record comes once and has a time; a missing record comes with every edge to it.
    const records = nodes.filter(({ at }) => at !== undefined);
    const bare = nodes.filter(({ at }) => at === undefined).map(({ id }) => id);
    const ends = edges.map(({ to }) => to).filter((id) => !RECORD.test(id));
    const fresh = [...new Set([...bare, ...ends])].filter((id) => !this.#ids.has(id));
    for (const id of fresh) this.#ids.add(id);
    return [...records, ...fresh.map((id) => ({ id, kind: id.slice(0, id.indexOf(':')) }))];
  }
}

const RECORD = /^(?:event|document|bundle|matter|hold|rule):/;

/** Writes nodes before edges, as the schema orders them: reads the pages twice instead of storing them. */
async function* jsonOf(pageAt: PageAt): AsyncGenerator<string> {
  const met = new Met();
  let truncated = false;
  let opened = '{"nodes":[';
  for await (const page of pagesOf(pageAt)) {
    const nodes = met.newIn(page);
    if (nodes.length === 0) continue;
    yield `${opened}${nodes.map((node) => JSON.stringify(node)).join(',')}`;
    opened = ',';
  }
  let edgesOpened = `${opened === ',' ? '' : opened}],"edges":[`;
  for await (const page of pagesOf(pageAt)) {
    truncated ||= page.truncated;
    if (page.edges.length === 0) continue;
    yield `${edgesOpened}${page.edges.map((edge) => JSON.stringify(edge)).join(',')}`;
    edgesOpened = ',';
  }
  yield `${edgesOpened === ',' ? '' : edgesOpened}],"truncated":${truncated}}`;
}

const NODE_MEMBERS = ['kind', 'at', 'label', 'status', 'source_system'] as const;
const EDGE_MEMBERS = ['kind', 'at', 'event_id'] as const;

const XML_HEAD = [
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
  ...NODE_MEMBERS.map((name) => `<key id="n_${name}" for="node" attr.name="${name}" attr.type="string"/>`),
  ...EDGE_MEMBERS.map((name) => `<key id="e_${name}" for="edge" attr.name="${name}" attr.type="string"/>`),
  '<graph id="graph" edgedefault="directed">',
  '',
].join('\n');

/** GraphML allows nodes and edges in any order (section 2.3.1 of the primer), so the pages are read once. */
async function* graphmlOf(pageAt: PageAt): AsyncGenerator<string> {
  const met = new Met();
  let head = XML_HEAD;
  for await (const page of pagesOf(pageAt)) {
    const nodes = met.newIn(page).map((node) => element('node', `id="${escaped(node.id)}"`, 'n', NODE_MEMBERS, node));
    const edges = page.edges.map((edge) =>
      element('edge', `source="${escaped(edge.from)}" target="${escaped(edge.to)}"`, 'e', EDGE_MEMBERS, { ...edge }),
    );
    yield head + nodes.join('') + edges.join('');
    head = '';
  }
  yield '</graph>\n</graphml>\n';
}

function element(
  name: string,
  attributes: string,
  prefix: string,
  members: readonly string[],
  values: Readonly<Record<string, unknown>>,
): string {
  const data = members.flatMap((member) => {
    const value = values[member];
    return typeof value === 'string' ? [`<data key="${prefix}_${member}">${escaped(value)}</data>`] : [];
  });
  return `<${name} ${attributes}>${data.join('')}</${name}>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text, and removes characters that XML 1.0 section 2.2 forbids. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');
