import { ItemSink } from '../../emit.js';
import type { AdapterItem, AdapterOptions, AdapterWarning, Part, Position } from '../../format-adapter.js';
import { ByteWindow } from '../../values/byte-window.js';
import { markupContent } from '../../values/content.js';
import { type DocumentFault, type DocumentKind, DocumentSplitter } from '../../values/xml/document-splitter.js';
import { documentText, parseDocument, type XmlElement } from '../../values/xml/xml-element.js';
import { headerOf, type MessageHeader, mapMessage } from './map-message.js';

/** A prescription has some kilobytes; prior authorization attachments are larger. */
const DOCUMENT_BYTES_LIMIT = 8 * 1024 * 1024;

/** SCRIPT messages have the root Message, which no message has inside. */
const SCRIPT: DocumentKind = {
  restart: /<\?xml\s|<(?:[\w.-]{1,64}:)?Message[\s>]/g,
  begins: (name) => /^(?:.*:)?Message$/.test(name),
  none: { code: 'NOT_NCPDP', message: 'these bytes are not a SCRIPT message' },
  elements: 50_000,
  bytes: DOCUMENT_BYTES_LIMIT,
};

/** Reads a body of SCRIPT messages into items. */
export class ScriptReader {
  readonly #window: ByteWindow;
  readonly #splitter: DocumentSplitter;
  readonly #sink = new ItemSink();
  /** Elements of the body before the current message. */
  #elements = 0;
  readonly #options: AdapterOptions;

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.#window = new ByteWindow(options.limits.windowBytes);
    const documents = {
      document: (start: number, end: number, elements: number) => this.#take(start, end, elements),
      refused: (fault: DocumentFault, start: number, end: number, held: boolean) =>
        this.#takeRefused(fault, start, end, held),
    };
    this.#splitter = new DocumentSplitter(this.#window, documents, SCRIPT);
  }

  push(chunk: Uint8Array): void {
    if (this.#window.push(chunk)) this.#splitter.scan(false);
  }

  finish(): void {
    this.#window.flush();
    this.#splitter.scan(true);
  }

  drain(): AdapterItem[] {
    return this.#sink.drain();
  }

  #take(start: number, end: number, elements: number): void {
    const position = { byteOffset: start, segmentNumber: this.#elements + 1, transactionPosition: 1 };
    this.#elements += elements;
    const part = this.#window.partOf(start, end, markupContent);
    const refuse = (code: string, message: string): void => {
      this.#sink.refuse({ code, message, item: 'message', exceptionKind: 'PARSE_FAILED' }, position, part);
      this.#endMessage({ kind: 'script' }, position, 0);
    };
    const read = documentText(this.#window.bytesOf(start, end));
    if (read === null) {
      refuse('CHARSET_UNKNOWN', 'the message declares an unsupported encoding');
      return;
    }
    const document = parseDocument(read.text);
    if (document === null) {
      refuse('XML_UNREADABLE', 'the message is not readable XML');
      return;
    }
    const warnings: AdapterWarning[] = [];
    if (read.mismatch) {
      const message = 'the message is invalid in its declared encoding; it is read as windows-1252';
      warnings.push({ code: 'CHARSET_MISMATCH', message, position });
    }
    this.#takeDocument(document, { position, part, warnings, elements });
  }

  #takeDocument(
    document: { name: string; root: XmlElement },
    about: { position: Position; part: Part; warnings: AdapterWarning[]; elements: number },
  ): void {
    const { position, part, elements } = about;
    const { sourceSystem, strict, receivedAt, tenantTimeZone } = this.#options;
    const result = mapMessage(document, about, { sourceSystem, strict, receivedAt, zone: tenantTimeZone ?? 'UTC' });
    const header = headerOf(document.root);
    if ('refusal' in result) {
      this.#sink.refuse(result.refusal, position, part);
      this.#endMessage(header, position, 0);
      return;
    }
    const { envelope, received, warnings, name, documents } = result.mapped;
    const version = header['version'] ?? '';
    const controlNumbers = { message: header['message_id'] ?? '' };
    // The root element frames the message: a document without its end tag is rejected.
    const wholeness = { framed: true, counted: null, trailer: true, grade: 'WHOLE' } as const;
    const named = { transaction: name, version, controlNumbers };
    const raw = { format: 'ncpdp', ...named, warningPlace: 'body', wholeness } as const;
    const lacks = { message: 'neither the patient nor the benefits name a member' };
    this.#sink.event({ envelope, part, position, warnings, received, raw, lacks, documents });
    // Its warnings are on the event.
    const counts = { segmentCount: elements, accepted: 1, refused: 0, complete: true, warnings: [] };
    this.#sink.push({ kind: 'transaction', transaction: name, version, controlNumbers, position, ...counts });
    this.#endMessage(header, position, 1);
  }

  /** The header for the acknowledgement. A MessageID is no sequence number. */
  #endMessage(header: MessageHeader, position: Position, count: number): void {
    const addressed = { ...header, sender: header['from'] ?? '', receiver: header['to'] ?? '' };
    this.#sink.endMessage(addressed, position, { count, complete: count > 0 });
  }

  #takeRefused({ code, message }: DocumentFault, start: number, end: number, held: boolean): void {
    const position = { byteOffset: start, segmentNumber: this.#elements + 1 };
    const part = held ? this.#window.partOf(start, end) : undefined;
    this.#sink.refuse({ code, message, item: 'message', exceptionKind: 'PARSE_FAILED' }, position, part);
    this.#endMessage({ kind: 'script' }, position, 0);
  }
}
