import { hash } from 'node:crypto';
import { type BodyReader, ItemSink } from '../emit.js';
import type { AdapterItem, AdapterOptions, AdapterWarning, AttachedDocument, Part } from '../format-adapter.js';
import { ByteWindow } from '../values/byte-window.js';
import { markupContent } from '../values/content.js';
import { effectiveTime } from '../values/hl7-timestamps.js';
import { compact, isUsable } from '../values/payload.js';
import {
  type DocumentFault,
  type DocumentKind,
  DocumentSplitter,
  type ElementRange,
} from '../values/xml/document-splitter.js';
import { type ElementNode, elementTree } from '../values/xml/element-tree.js';
import { documentText } from '../values/xml/xml-element.js';
import { attribute, find } from './elements.js';
import { codedEntries } from './entries.js';
import type { CodedEntry } from './entry-parts.js';
import { type DocumentHeader, headerOf } from './header.js';

const RECORD_ID_LIMIT = 256;
const SOURCE_SYSTEM_LIMIT = 128;
const ENTRIES_LIMIT = 5_000;

const CDA: DocumentKind = {
  restart: /<\?xml\s|<(?:[\w.-]{1,64}:)?ClinicalDocument[\s>]/g,
  begins: (name) => /^(?:.*:)?ClinicalDocument$/.test(name),
  none: { code: 'NOT_XML', message: 'these bytes are not a clinical document' },
  elements: 200_000,
  bytes: 16 * 1024 * 1024,
};

/** One document with its place. */
interface Read {
  readonly root: ElementNode;
  readonly header: DocumentHeader;
  readonly bytes: Buffer;
  readonly part: Part;
  readonly number: number;
  readonly warnings: readonly AdapterWarning[];
}

/** Members of an event that its document does not give. */
type Described = Pick<CodedEntry, 'type' | 'outcome' | 'times' | 'payload'> & {
  readonly family: CodedEntry['family'] | 'document';
  readonly recordId: string;
};

/** Reads a body of C-CDA documents into items: the document, and each of its coded entries. */
export class CdaReader implements BodyReader {
  readonly #window: ByteWindow;
  readonly #splitter: DocumentSplitter;
  readonly #sink = new ItemSink();
  #documents = 0;
  readonly #options: AdapterOptions;

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.#window = new ByteWindow(options.limits.windowBytes);
    const documents = {
      document: (start: number, end: number, _: number, ranges: readonly ElementRange[]) =>
        this.#take(start, end, ranges),
      refused: (fault: DocumentFault, start: number, end: number, held: boolean) =>
        this.#refuse(fault, start, held ? this.#window.partOf(start, end) : undefined),
    };
    this.#splitter = new DocumentSplitter(this.#window, documents, CDA);
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

  #refuse({ code, message }: Pick<Refusal, 'code' | 'message'>, start: number, part: Part | undefined): void {
    const position = { byteOffset: start, segmentNumber: ++this.#documents };
    this.#sink.refuse({ code, message, item: 'document', exceptionKind: 'PARSE_FAILED' }, position, part);
  }

  #take(start: number, end: number, ranges: readonly ElementRange[]): void {
    const bytes = this.#window.bytesOf(start, end);
    const part = this.#window.partOf(start, end, markupContent);
    const read = documentText(bytes);
    if (read === null) {
      this.#refuse({ code: 'CHARSET_UNKNOWN', message: 'the document declares an unsupported encoding' }, start, part);
      return;
    }
    const root = elementTree(read.text, ranges);
    if (root?.name !== 'ClinicalDocument') {
      const wrong = root === null ? 'the document is not readable XML' : 'the document is no ClinicalDocument';
      this.#refuse({ code: root === null ? 'XML_UNREADABLE' : 'NOT_CDA', message: wrong }, start, part);
      return;
    }
    const number = ++this.#documents;
    const message = 'the document is invalid in its declared encoding; it is read as windows-1252';
    const warnings = read.mismatch ? [{ code: 'CHARSET_MISMATCH', message }] : [];
    this.#takeDocument({ root, header: headerOf(root), bytes, part, number, warnings });
  }

  #takeDocument(read: Read): void {
    const { root, header, part, number } = read;
    const id = header.id === '' ? `sha256/${part.contentSha256 ?? part.sha256}` : header.id;
    const documentId = `ClinicalDocument/${header.version === '' ? id : `${id}/${header.version}`}`;
    const entries = codedEntries(root);
    const kept = entries.slice(0, ENTRIES_LIMIT);
    const received = { family: 'document', type: 'clinical_document_received', outcome: 'recorded' } as const;
    this.#give(read, { ...received, times: [], payload: {}, recordId: documentId }, part, contentOf(read));
    for (const [at, entry] of kept.entries()) {
      const named = entry.id === '' ? String(at + 1) : `${at + 1}/${entry.id}`;
      const { start, end } = entry.node.range;
      this.#give(
        read,
        { ...entry, recordId: `${documentId}/${named}` },
        this.#window.partOf(start, end, markupContent),
      );
    }
    const position = { byteOffset: part.offset, segmentNumber: number };
    const left = 'the entries beyond 5,000 of a document are only in the document';
    const warnings = entries.length > kept.length ? [{ code: 'ENTRIES_LEFT_OUT', message: left, position }] : [];
    const counts = { segmentCount: entries.length, accepted: kept.length + 1, refused: 0, complete: true, warnings };
    const about = { transaction: 'ClinicalDocument', version: 'R2', controlNumbers: { document: header.id } };
    this.#sink.push({ kind: 'transaction', ...about, position, ...counts });
  }

  #give(read: Read, said: Described, part: Part, documents: readonly AttachedDocument[] = []): void {
    const { header, number } = read;
    const position = { byteOffset: part.offset, segmentNumber: number };
    const warnings = read.warnings.map((warning) => ({ ...warning, position }));
    const sources = [
      ...said.times.map((text) => ({ text, name: 'effectiveTime' })),
      { text: header.time, name: 'ClinicalDocument.effectiveTime' },
    ];
    const zone = this.#options.tenantTimeZone ?? 'UTC';
    const time = effectiveTime(sources, { receivedAt: this.#options.receivedAt, zone });
    const warn = (code: string, message: string): void => {
      warnings.push({ code, message, position });
    };
    if (time.unreadable) warn('DATE_UNREADABLE', 'no element has a readable time');
    if (time.received) warn('DATE_MISSING', 'no element has the time of the event: the time of receipt is used');
    const source = this.#options.sourceSystem ?? header.custodian;
    const isNamed = isUsable(source, SOURCE_SYSTEM_LIMIT);
    if (!isNamed) warn('SENDER_MISSING', 'no custodian names a sender: the source system is the format name');
    const fits = isUsable(said.recordId, RECORD_ID_LIMIT);
    const payload = compact({ ...header.payload, ...compact(said.payload), timestamp_basis: time.basis });
    const wholeness = { framed: true, counted: null, trailer: true, grade: 'WHOLE' } as const;
    const about = { transaction: 'ClinicalDocument', version: 'R2', controlNumbers: { document: header.id } };
    this.#sink.event({
      envelope: {
        event_family: said.family,
        event_type: said.type,
        source_system: isNamed ? source : 'cda',
        source_record_id: fits ? said.recordId : `ClinicalDocument/sha256/${hash('sha256', said.recordId, 'hex')}`,
        event_effective_timestamp: time.timestamp,
        ...(header.memberId !== '' && { member_id: header.memberId }),
        outcome: said.outcome,
        payload,
      },
      part,
      position,
      warnings,
      received: time.received,
      raw: { format: 'cda', ...about, warningPlace: 'body', wholeness },
      lacks: {
        message: 'recordTarget names no number of the patient, or more than one patient',
        segment: 'recordTarget',
      },
      documents,
    });
  }
}

type Refusal = { readonly code: string; readonly message: string };

/** The document itself, and the file of a body that is no XML. */
function contentOf({ root, header, bytes }: Read): AttachedDocument[] {
  const { title } = header;
  // The bytes of the window move on.
  const whole = { bytes: Buffer.from(bytes), mediaType: 'application/xml', filename: 'clinical-document.xml', title };
  const text = find(root, 'component', 'nonXMLBody', 'text');
  if (text === undefined || attribute(text, 'representation') !== 'B64') return [whole];
  const file = Buffer.from(text.text, 'base64');
  if (file.length === 0) return [whole];
  return [whole, { bytes: file, mediaType: attribute(text, 'mediaType'), filename: '', title }];
}
