import type { AdapterItem, AdapterOptions, AdapterWarning, Part, Position } from '../../adapter.js';
import { ByteWindow } from '../byte-window.js';
import { ItemSink } from '../item-sink.js';
import { type DocumentFault, DocumentSplitter } from './document-splitter.js';
import { documentText } from './document-text.js';
import { headerOf, type MessageHeader, mapMessage } from './map-message.js';
import { parseDocument, type XmlElement } from './xml-element.js';

/** A prescription is some kilobytes; attachments of a prior authorization are larger. */
const documentBytesLimit = 8 * 1024 * 1024;

/** Reads a body of SCRIPT messages into items. */
export class ScriptReader {
  private readonly window: ByteWindow;
  private readonly splitter: DocumentSplitter;
  private readonly sink = new ItemSink();
  /** Elements of the body before the message in hand. */
  private elements = 0;
  private readonly options: AdapterOptions;

  constructor(options: AdapterOptions) {
    this.options = options;
    this.window = new ByteWindow(options.limits.windowBytes);
    const documents = {
      document: (start: number, end: number, elements: number) => this.take(start, end, elements),
      refused: (fault: DocumentFault, start: number, end: number, held: boolean) =>
        this.takeRefused(fault, start, end, held),
    };
    this.splitter = new DocumentSplitter(this.window, documents, documentBytesLimit);
  }

  push(chunk: Uint8Array): void {
    if (this.window.push(chunk)) this.splitter.scan(false);
  }

  finish(): void {
    this.window.flush();
    this.splitter.scan(true);
  }

  drain(): AdapterItem[] {
    return this.sink.drain();
  }

  private take(start: number, end: number, elements: number): void {
    const position = { byteOffset: start, segmentNumber: this.elements + 1, transactionPosition: 1 };
    this.elements += elements;
    const part = this.window.partOf(start, end);
    const refuse = (code: string, message: string): void => {
      this.sink.refuse({ code, message, item: 'message', exceptionKind: 'PARSE_FAILED' }, position, part);
      this.endMessage({ kind: 'script' }, position, 0);
    };
    const read = documentText(this.window.bytesOf(start, end));
    if (read === null) {
      refuse('CHARSET_UNKNOWN', 'the message declares an encoding that is not read');
      return;
    }
    const document = parseDocument(read.text);
    if (document === null) {
      refuse('XML_UNREADABLE', 'the message is no XML that can be read');
      return;
    }
    const warnings: AdapterWarning[] = [];
    if (read.mismatch) {
      const message = 'the message is not of the encoding it declares; read as windows-1252';
      warnings.push({ code: 'CHARSET_MISMATCH', message, position });
    }
    this.takeDocument(document, { position, part, warnings, elements });
  }

  private takeDocument(
    document: { name: string; root: XmlElement },
    about: { position: Position; part: Part; warnings: AdapterWarning[]; elements: number },
  ): void {
    const { position, part, elements } = about;
    const { sourceSystem, strict, receivedAt, tenantTimeZone } = this.options;
    const result = mapMessage(document, about, { sourceSystem, strict, receivedAt, zone: tenantTimeZone ?? 'UTC' });
    const header = headerOf(document.root);
    if ('refusal' in result) {
      this.sink.refuse(result.refusal, position, part);
      this.endMessage(header, position, 0);
      return;
    }
    const { envelope, received, warnings, name } = result.mapped;
    const version = header['version'] ?? '';
    const controlNumbers = { message: header['message_id'] ?? '' };
    this.sink.event(envelope, {
      part,
      position,
      warnings,
      received,
      raw: { transaction: name, version, controlNumbers },
      lacks: 'neither the patient nor the benefits name a member',
    });
    // Its warnings stand with the event.
    const counts = { segmentCount: elements, accepted: 1, refused: 0, complete: true, warnings: [] };
    this.sink.push({ kind: 'transaction', transaction: name, version, controlNumbers, position, ...counts });
    this.endMessage(header, position, 1);
  }

  /** The header as an acknowledgement needs it. A MessageID is no number that counts on. */
  private endMessage(header: MessageHeader, position: Position, count: number): void {
    const complete = count > 0;
    this.sink.push({
      kind: 'wrapper',
      level: 'message',
      header: { ...header, sender: header['from'] ?? '', receiver: header['to'] ?? '' },
      position,
      declaredCount: null,
      count,
      complete,
      warnings: [],
    });
  }

  private takeRefused({ code, message }: DocumentFault, start: number, end: number, held: boolean): void {
    const position = { byteOffset: start, segmentNumber: this.elements + 1 };
    const part = held ? this.window.partOf(start, end) : undefined;
    this.sink.refuse({ code, message, item: 'message', exceptionKind: 'PARSE_FAILED' }, position, part);
    this.endMessage({ kind: 'script' }, position, 0);
  }
}
