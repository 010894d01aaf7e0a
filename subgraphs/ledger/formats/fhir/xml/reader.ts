import type { BodyReader } from '../../emit.js';
import type { AdapterItem, AdapterOptions, Part } from '../../format-adapter.js';
import { ByteWindow } from '../../values/byte-window.js';
import {
  type DocumentFault,
  type DocumentKind,
  DocumentSplitter,
  type ElementRange,
} from '../../values/xml/document-splitter.js';
import { type ElementNode, elementTree } from '../../values/xml/element-tree.js';
import { declaredEncoding, decodeAs } from '../../values/xml/xml-element.js';
import type { ResourceCheck } from '../check/resource-check.js';
import { partOf } from '../entries.js';
import { FhirReader } from '../reader.js';
import type { ElementTypes } from './element-types.js';
import { ConversionFault, type PlacedJson, ResourceWriter } from './resource-writer.js';
import { StreamedDocument } from './streamed-document.js';

/** The longest resource or entry. */
const RESOURCE_BYTES_LIMIT = 16 * 1024 * 1024;
const ROOT = /<(?:[\w.-]+:)?[A-Z][A-Za-z]*\s[^<>]*xmlns(?::[\w.-]+)?\s*=\s*["']http:\/\/hl7\.org\/fhir["']/y;

const FHIR_XML: DocumentKind = {
  restart: /<\?xml\s|(?<=[\r\n])<(?:[\w.-]{1,64}:)?[A-Z][A-Za-z]{1,64}\s[^<>]{0,300}http:\/\/hl7\.org\/fhir["']/g,
  begins: (_name, { text, at, parent }) => {
    // A resource inside another one may repeat the namespace.
    if (!/[\r\n]/.test(text.charAt(at - 1)) || /(?:^|:)(?:resource|contained)$/.test(parent)) return false;
    ROOT.lastIndex = at;
    return ROOT.test(text);
  },
  none: { code: 'NOT_XML', message: 'these bytes are not a resource in XML' },
  elements: 200_000,
  bytes: RESOURCE_BYTES_LIMIT,
};

const UNREADABLE = { code: 'XML_UNREADABLE', message: 'the resource is not readable XML' };

/**
 * Reads FHIR XML: writes each resource, and each entry of a Bundle while it streams in, as the JSON of the same
 * resource and has FhirReader read that. Offsets and parts are those of the XML.
 */
export class FhirXmlReader implements BodyReader {
  readonly #window: ByteWindow;
  readonly #splitter: DocumentSplitter;
  readonly #reader: FhirReader;
  readonly #types: ElementTypes;
  /** Bytes of JSON handed on so far. */
  #jsonBytes = 0;
  /** Elements by the offset of their JSON. */
  readonly #places = new Map<number, Part>();
  #open: StreamedDocument | null = null;

  constructor(options: AdapterOptions, check: ResourceCheck | null, types: ElementTypes) {
    this.#types = types;
    this.#window = new ByteWindow(options.limits.windowBytes);
    this.#reader = new FhirReader(options, check, (bytes, offset) => this.#places.get(offset) ?? partOf(bytes, offset));
    this.#splitter = new DocumentSplitter(
      this.#window,
      {
        document: (start, end, _, ranges) => this.#takeDocument(start, end, ranges),
        refused: (fault, start, end, held) => this.#takeRefused(fault, start, end, held),
        root: (name, start, end) => this.#beginStreamed(name, start, end),
        child: (start, end, ranges) => this.#takeChild(start, end, ranges),
        rootEnd: (end) => this.#endStreamed(end),
      },
      FHIR_XML,
    );
  }

  push(chunk: Uint8Array): void {
    if (this.#window.push(chunk)) this.#splitter.scan(false);
  }

  finish(): void {
    this.#window.flush();
    this.#splitter.scan(true);
    this.#reader.finish();
  }

  drain(): AdapterItem[] {
    return this.#reader.drain();
  }

  #takeDocument(start: number, end: number, ranges: readonly ElementRange[]): void {
    const encoding = declaredEncoding(this.#window.slice(start, Math.min(end, start + 300)));
    const read = this.#convert({ start, end, ranges, encoding }, (writer, root) => writer.resource(root));
    if ('text' in read) this.#give(read);
    else this.#reader.lose(read, 0, start, partOf(this.#window.bytesOf(start, end), start));
    this.#places.clear();
  }

  /** Streams Bundles and Parameters, which may be long. */
  #beginStreamed(name: string, start: number, end: number): boolean {
    const type = name.slice(name.indexOf(':') + 1);
    if (type !== 'Bundle' && type !== 'Parameters') return false;
    const encoding = declaredEncoding(this.#window.slice(start, Math.min(end, start + 300)));
    this.#open = new StreamedDocument(type, encoding, start);
    this.#open.hash(this.#window.bytesOf(start, end));
    this.#places.clear();
    this.#places.set(this.#jsonBytes, this.#open.part());
    this.#push(this.#open.head);
    return true;
  }

  #takeChild(start: number, end: number, ranges: readonly ElementRange[]): void {
    const open = this.#open;
    if (open === null) return;
    if (!open.hasEntries) this.#hashTo(open, end);
    const { encoding, type } = open;
    let name = '';
    let isItem = false;
    const read = this.#convert({ start, end, ranges, encoding }, (writer, node) => {
      const element = writer.elementOf(type, [node]);
      name = node.name;
      isItem = element.isList;
      return writer.member(type, node);
    });
    if ('text' in read) this.#push(open.before(name, isItem));
    if ('text' in read) {
      if (name === open.listName) open.entryCount += 1;
      this.#give(read);
    } else this.#loseChild(open, read, partOf(this.#window.bytesOf(start, end), start));
  }

  /** An entry that is no resource still counts, so that the numbers of the others stay. */
  #loseChild(open: StreamedDocument, fault: { code: string; message: string }, part: Part): void {
    const name = /^<(?:[\w.-]+:)?([\w.-]+)/.exec(this.#window.slice(part.offset, part.offset + 200))?.[1];
    if (name !== open.listName) {
      this.#reader.lose(fault, 0, part.offset, part);
      return;
    }
    this.#push(`${open.before(name, true)}{}`);
    open.entryCount += 1;
    this.#reader.lose(fault, open.entryCount, part.offset, part);
  }

  #endStreamed(end: number): void {
    const open = this.#open;
    if (open === null) return;
    if (!open.hasEntries) {
      this.#hashTo(open, end);
      this.#places.set(open.jsonStart, open.part());
    }
    this.#push(open.tail);
    this.#open = null;
  }

  #hashTo(open: StreamedDocument, end: number): void {
    open.hash(this.#window.bytesOf(open.hashedTo, end));
  }

  #takeRefused(fault: DocumentFault, start: number, end: number, held: boolean): void {
    const open = this.#open;
    const part = held ? partOf(this.#window.bytesOf(start, end), start) : null;
    if (open === null) {
      this.#reader.lose(fault, 0, start, part);
      return;
    }
    this.#open = null;
    const isBetween =
      held && fault.code === 'XML_CUT' && /^\s*(?:<\/?[^>]{0,80})?$/.test(this.#window.slice(start, end));
    if (!open.hasEntries) this.#push(open.before(open.listName, true));
    if (!isBetween) this.#reader.lose(fault, open.entryCount + 1, start, part);
    this.#reader.cut();
  }

  #convert(
    { start, end, ranges, encoding }: { start: number; end: number; ranges: readonly ElementRange[]; encoding: string },
    write: (writer: ResourceWriter, node: ElementNode) => PlacedJson,
  ): PlacedJson | { code: string; message: string } {
    const bytes = this.#window.bytesOf(start, end);
    if (bytes.includes(0)) return { code: 'NUL_IN_DOCUMENT', message: 'the resource contains NUL bytes' };
    const read = decodeAs(bytes, encoding);
    if (read === null || read.mismatch) {
      return { code: 'UNSUPPORTED_ENCODING', message: 'the text is not in its declared encoding, or UTF-8' };
    }
    const node = elementTree(read.text, ranges);
    if (node === null) return UNREADABLE;
    const sourceOf = (range: ElementRange): string =>
      decodeAs(this.#window.bytesOf(range.start, range.end), encoding)?.text ?? '';
    try {
      return write(new ResourceWriter(this.#types, sourceOf), node);
    } catch (fault) {
      if (fault instanceof ConversionFault) return { code: fault.code, message: fault.message };
      throw fault;
    }
  }

  #give({ text, places }: PlacedJson): void {
    const root = this.#open === null ? undefined : this.#places.get(this.#open.jsonStart);
    this.#places.clear();
    if (this.#open !== null && root !== undefined) this.#places.set(this.#open.jsonStart, root);
    for (const [at, { start, end }] of places) {
      this.#places.set(this.#jsonBytes + at, partOf(this.#window.bytesOf(start, end), start));
    }
    this.#push(text);
  }

  #push(text: string): void {
    if (text === '') return;
    if (this.#open !== null && this.#open.jsonStart === -1) this.#open.jsonStart = this.#jsonBytes;
    this.#jsonBytes += text.length;
    this.#reader.push(Buffer.from(text, 'latin1'), true);
  }
}
