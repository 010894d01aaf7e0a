import { XMLParser } from 'fast-xml-parser';
import { decodeWestern } from '../characters.js';
import { DEPTH_LIMIT } from './document-splitter.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const DECLARED = /^(?:\xef\xbb\xbf)?\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']/;

interface DocumentText {
  readonly text: string;
  /** True if the bytes are not in their declared encoding. */
  readonly mismatch: boolean;
}

/** The encoding that the first bytes of a document declare, in lower case; UTF-8 if none. */
export const declaredEncoding = (head: string): string => (DECLARED.exec(head)?.[1] ?? 'utf-8').toLowerCase();

/** Decodes a document by its declared encoding; null for an unsupported encoding. */
export function documentText(bytes: Buffer): DocumentText | null {
  return decodeAs(bytes, declaredEncoding(bytes.toString('latin1', 0, 300)));
}

/** Decodes bytes of a document with the given encoding; null for an unsupported encoding. */
export function decodeAs(bytes: Buffer, encoding: string): DocumentText | null {
  if (/^(?:iso-8859-1|latin1|windows-1252)$/.test(encoding)) return { text: decodeWestern(bytes), mismatch: false };
  if (encoding !== 'utf-8' && encoding !== 'utf8' && encoding !== 'us-ascii' && encoding !== 'ascii') return null;
  try {
    return { text: utf8.decode(bytes), mismatch: false };
  } catch {
    // Bytes that are not UTF-8 are windows-1252; a warning reports it.
    return { text: decodeWestern(bytes), mismatch: true };
  }
}

/** Entities stay unexpanded, so that none can grow; text readers resolve XML's five and character references. */
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  // The parser's own namespace option loses the declarations, so names are stripped here.
  transformTagName: (name) => name.slice(name.indexOf(':') + 1),
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: DEPTH_LIMIT + 1,
});

const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** An element of a document, read by the names of its children without namespaces. */
export class XmlElement {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  /** Names of the child elements, each once, in order of first appearance. */
  childNames(): string[] {
    return isRecord(this.#value) ? Object.keys(this.#value).filter((name) => !/^[@#?]/.test(name)) : [];
  }

  /** The child elements of a name. */
  children(name: string): XmlElement[] {
    if (!isRecord(this.#value) || !Object.hasOwn(this.#value, name)) return [];
    const found = this.#value[name];
    return (Array.isArray(found) ? found : [found]).map((value) => new XmlElement(value));
  }

  /** The first element along a path of names. */
  find(...path: string[]): XmlElement | undefined {
    let element: XmlElement | undefined = this;
    for (const name of path) element = element?.children(name)[0];
    return element;
  }

  /** The text of the first element along a path; '' if absent. */
  text(...path: string[]): string {
    const found = this.find(...path);
    const value = found === undefined ? undefined : found.#value;
    if (typeof value === 'string') return unescapeXml(value);
    if (!isRecord(value)) return '';
    const own = value['#text'];
    return typeof own === 'string' ? unescapeXml(own) : '';
  }

  attributeNames(): string[] {
    if (!isRecord(this.#value)) return [];
    return Object.keys(this.#value).flatMap((name) => (name.startsWith('@') ? [name.slice(1)] : []));
  }

  attribute(name: string): string {
    const value = isRecord(this.#value) ? this.#value[`@${name}`] : undefined;
    return typeof value === 'string' ? unescapeXml(value) : '';
  }
}

/** The SCRIPT namespace that an element declares, under any prefix; '' if it declares none. */
export function namespaceOf(element: XmlElement): string {
  const declared = element.attributeNames().filter((name) => name === 'xmlns' || name.startsWith('xmlns:'));
  return declared.map((name) => element.attribute(name)).find((uri) => /ncpdp/i.test(uri)) ?? '';
}

/**
 * The root of a document and its name; null if the parser fails. DocumentSplitter has bounded depth, size and tags
 * before, so recursion is safe.
 */
export function parseDocument(text: string): { name: string; root: XmlElement } | null {
  let parsed: unknown;
  try {
    parsed = parser.parse(text);
  } catch {
    // The parser's messages quote the document; reports name only code and place.
    return null;
  }
  const document = new XmlElement(parsed);
  const [name] = document.childNames();
  const root = name === undefined ? undefined : document.find(name);
  return name === undefined || root === undefined ? null : { name, root };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Resolves XML's five entities and character references; any other reference stays as written. */
export function unescapeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    REFERENCE,
    (whole, name: string | undefined, decimal: string | undefined, hex: string | undefined) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}
