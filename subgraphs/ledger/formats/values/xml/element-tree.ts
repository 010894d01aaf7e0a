import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { DEPTH_LIMIT, type ElementRange } from './document-splitter.js';
import { unescapeXml } from './xml-element.js';

/** An element with its place in the body. Names have no namespace prefix. */
export interface ElementNode {
  readonly name: string;
  /** In the order of the document; namespace declarations are left out. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly ElementNode[];
  /** The text directly inside it, trimmed. */
  readonly text: string;
  readonly range: ElementRange;
}

const ATTRIBUTES = ':@';
const TEXT = '#text';

/** Entities stay unexpanded, so that none can grow. */
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  transformTagName: (name) => name.slice(name.indexOf(':') + 1),
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: DEPTH_LIMIT + 1,
});

/**
 * Parses one element. `ranges` has the places of its elements in the order of their start tags, as DocumentSplitter
 * found them; it has bounded depth and number, so that recursion is safe.
 *
 * @returns null for text that is not well-formed.
 */
export function elementTree(text: string, ranges: readonly ElementRange[]): ElementNode | null {
  let parsed: unknown;
  try {
    if (XMLValidator.validate(text) !== true) return null;
    parsed = parser.parse(text);
  } catch {
    // The parser's messages quote the document; reports name only code and place.
    return null;
  }
  const places = ranges[Symbol.iterator]();
  const { children } = contentOf(parsed, places);
  const [root, second] = children;
  return second === undefined && places.next().done === true ? (root ?? null) : null;
}

function contentOf(value: unknown, places: Iterator<ElementRange>): Pick<ElementNode, 'children' | 'text'> {
  const children: ElementNode[] = [];
  let text = '';
  for (const item of Array.isArray(value) ? value : []) {
    if (!isRecord(item)) continue;
    const own = item[TEXT];
    if (typeof own === 'string') text += own;
    const name = Object.keys(item).find((key) => key !== ATTRIBUTES && key !== TEXT);
    if (name !== undefined) children.push(nodeOf(name, item, places));
  }
  return { children, text: unescapeXml(text.trim()) };
}

const NOWHERE: ElementRange = { start: 0, end: 0 };

function nodeOf(name: string, item: Readonly<Record<string, unknown>>, places: Iterator<ElementRange>): ElementNode {
  const next = places.next();
  const range = next.done === true ? NOWHERE : next.value;
  return { name, attributes: attributesOf(item[ATTRIBUTES]), range, ...contentOf(item[name], places) };
}

function attributesOf(value: unknown): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  if (!isRecord(value)) return attributes;
  for (const [name, text] of Object.entries(value)) {
    if (typeof text === 'string' && name !== 'xmlns' && !name.startsWith('xmlns:')) {
      // A line end inside a value is a blank, by XML's rules.
      attributes.set(name, unescapeXml(text.replace(/[\t\r\n]/g, ' ')));
    }
  }
  return attributes;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
