import { XMLParser } from 'fast-xml-parser';
import { depthLimit } from './document-splitter.js';

/** Entities stay as they came, so that none can grow; the five of XML and character references are read where text is. */
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  // Namespaces are left out of names; the parser's own option for that loses their declarations.
  transformTagName: (name) => name.slice(name.indexOf(':') + 1),
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: depthLimit + 1,
});

const reference = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g;
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** An element of a document, read by the names of its children; namespaces are left out of names. */
export class XmlElement {
  private readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  /** Names of the child elements, each once, in the order of their first appearance. */
  childNames(): string[] {
    return isRecord(this.value) ? Object.keys(this.value).filter((name) => !/^[@#?]/.test(name)) : [];
  }

  /** The child elements of a name. */
  children(name: string): XmlElement[] {
    if (!isRecord(this.value) || !Object.hasOwn(this.value, name)) return [];
    const found = this.value[name];
    return (Array.isArray(found) ? found : [found]).map((value) => new XmlElement(value));
  }

  /** The first element along a path of names. */
  find(...path: string[]): XmlElement | undefined {
    let element: XmlElement | undefined = this;
    for (const name of path) element = element?.children(name)[0];
    return element;
  }

  /** The text of the first element along a path; '' when there is none. */
  text(...path: string[]): string {
    const value = this.find(...path)?.value;
    if (typeof value === 'string') return unescapeXml(value);
    if (!isRecord(value)) return '';
    const own = value['#text'];
    return typeof own === 'string' ? unescapeXml(own) : '';
  }

  attributeNames(): string[] {
    if (!isRecord(this.value)) return [];
    return Object.keys(this.value).flatMap((name) => (name.startsWith('@') ? [name.slice(1)] : []));
  }

  attribute(name: string): string {
    const value = isRecord(this.value) ? this.value[`@${name}`] : undefined;
    return typeof value === 'string' ? unescapeXml(value) : '';
  }
}

/** The namespace of SCRIPT that an element declares, under whatever prefix; '' when it declares none. */
export function namespaceOf(element: XmlElement): string {
  const declared = element.attributeNames().filter((name) => name === 'xmlns' || name.startsWith('xmlns:'));
  return declared.map((name) => element.attribute(name)).find((uri) => /ncpdp/i.test(uri)) ?? '';
}

/**
 * The root of a document and its name; null when the parser cannot read it. Depth, size and tags were bounded before (see
 * DocumentSplitter), so that neither the parser nor what reads its tree can be made to recurse without end.
 */
export function parseDocument(text: string): { name: string; root: XmlElement } | null {
  let parsed: unknown;
  try {
    parsed = parser.parse(text);
  } catch {
    // The parser's own messages quote the document; what is told of it is the reader's code and place.
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

function unescapeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    reference,
    (whole, name: string | undefined, decimal: string | undefined, hex: string | undefined) => {
      if (name !== undefined) return named[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}
