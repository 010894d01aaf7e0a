import { hash } from 'node:crypto';
import type { AttachedDocument } from '../../format-adapter.js';
import { type Period, parsePeriod } from '../../values/dates.js';
import { compact } from '../../values/payload.js';
import { type Composites, References } from '../elements.js';
import { bySegment, type Segment } from '../envelope/segment.js';
import { Item } from '../item.js';
import type { SegmentReader } from '../item-mapper.js';
import { type Party, partyOf, readPartyDetail } from '../parties.js';

/** Attachments of one transaction, and documents of one attachment; the guides have one document each. */
const ATTACHMENTS = { count: 500, code: 'ATTACHMENTS_LEFT_OUT' };
const DOCUMENTS = { count: 100, code: 'DOCUMENTS_LEFT_OUT' };
/** The documents of one transaction that are held for the vault. */
const FILED_BYTES = 64 * 1024 * 1024;
/** BDS01 of text in Base64. */
const BASE64 = 'B64';

/** The first bytes of documents that senders attach. */
const SIGNATURES: readonly (readonly [start: string, mediaType: string])[] = [
  ['%PDF-', 'application/pdf'],
  ['\x89PNG\r\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['II*\0', 'image/tiff'],
  ['MM\0*', 'image/tiff'],
  ['{\\rtf', 'application/rtf'],
  ['<?xml', 'application/xml'],
  ['<ClinicalDocument', 'application/xml'],
  ['MIME-Version:', 'message/rfc822'],
];
const LONGEST_SIGNATURE = 20;

function mediaTypeOf(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, LONGEST_SIGNATURE);
  return SIGNATURES.find(([signature]) => start.startsWith(signature))?.[1] ?? 'application/octet-stream';
}

/** One attachment (LX). */
class Attachment {
  number: string;
  readonly traces: string[] = [];
  readonly references = new References();
  /** STC01 of the payer's request. */
  request: string[] = [];
  /** CAT. */
  reportType = '';
  reportCode = '';
  period: Period | null = null;
  /** EFI, which precedes its document. */
  file: Record<string, unknown> = {};
  readonly documents: Record<string, unknown>[] = [];

  constructor(segment: Segment) {
    this.number = segment.value(1);
  }
}

/** The information about one patient while it is read: a whole transaction. */
export class PatientInformation extends Item {
  readonly references = new References();
  readonly parties = new Map<string, Party>();
  party: Party | null = null;
  patient: Party | null = null;
  period: Period | null = null;
  readonly attachments: Attachment[] = [];
  attachment: Attachment | null = null;
  /** The documents with their bytes, for the vault. */
  readonly documents: AttachedDocument[] = [];
  #documentBytes = 0;

  /** Keeps a document for the vault, within a limit of all of a transaction. */
  file(document: AttachedDocument, segment: Segment): void {
    const size = document.bytes.length;
    if (size === 0) return;
    if (this.#documentBytes + size <= FILED_BYTES && this.documents.length < DOCUMENTS.count) {
      this.#documentBytes += size;
      this.documents.push(document);
    } else if (!this.warnings.some(({ code }) => code === 'DOCUMENT_NOT_STORED')) {
      const message = 'the transaction has too many documents for the vault: some are in the raw message only';
      this.warn(segment, 'DOCUMENT_NOT_STORED', message, segment.id === 'BIN' ? 2 : 3);
    }
  }
}

function readNm1(item: PatientInformation, segment: Segment): void {
  item.party = null;
  if (item.breakNameRunOn(segment)) return;
  const party = partyOf(segment);
  item.party = party;
  if (party.entity === 'QC' || party.entity === 'IL') {
    if (item.patient !== null || item.attachment !== null)
      item.break(segment, 'LOOP_ORDER', 'a second patient in one transaction', 1);
    item.patient ??= party;
  } else if (!item.parties.has(party.entity) && item.parties.size < ATTACHMENTS.count) {
    item.parties.set(party.entity, party);
  }
}

function readLx(item: PatientInformation, segment: Segment): void {
  item.party = null;
  item.attachment = new Attachment(segment);
  item.keep(item.attachments, item.attachment, segment, ATTACHMENTS);
}

function readDtp(item: PatientInformation, segment: Segment): void {
  const period = parsePeriod(segment.value(2), segment.value(3));
  if (period === null) item.warnOfDate(segment);
  else if (item.attachment !== null) item.attachment.period = period;
  else if (segment.at(1) === '472') item.period = period;
}

/** BIN or BDS: the document is described, and its bytes go to the vault. */
function readDocument(item: PatientInformation, segment: Segment): void {
  const { attachment } = item;
  const sent = segment.data();
  if (sent === null) {
    const element = segment.id === 'BIN' ? 1 : 2;
    item.break(segment, 'BINARY_LENGTH_WRONG', 'no terminator follows the stated length of the document', element);
    return;
  }
  if (attachment === null) {
    item.break(segment, 'LX_MISSING', 'a document is outside an attachment: an LX is missing');
    return;
  }
  const isBase64 = segment.id === 'BDS' && segment.at(1) === BASE64;
  const bytes = isBase64 ? Buffer.from(sent.toString('latin1'), 'base64') : sent;
  const mediaType = mediaTypeOf(bytes);
  const name = attachment.file['file_name'];
  const described = compact({
    ...attachment.file,
    encoding: segment.id === 'BDS' ? segment.value(1) : '',
    media_type: mediaType,
    size_bytes: bytes.length,
    sha256: hash('sha256', bytes, 'hex'),
  });
  attachment.file = {};
  item.keep(attachment.documents, described, segment, DOCUMENTS);
  item.file({ bytes, mediaType, filename: typeof name === 'string' ? name : '' }, segment);
}

function readStc(item: PatientInformation, segment: Segment, composites: Composites): void {
  if (item.attachment !== null) item.attachment.request = composites.split(segment.value(1)).slice(0, 4);
}

/** The segments of a 275 that are read, by id. */
export const INFORMATION_SEGMENTS = bySegment<SegmentReader<PatientInformation>>({
  NM1: readNm1,
  LX: readLx,
  DTP: readDtp,
  STC: readStc,
  BIN: readDocument,
  BDS: readDocument,
  TRN: (item, segment) => {
    item.breakRunOn(segment);
    if (item.attachment !== null && segment.value(2) !== '')
      item.keep(item.attachment.traces, segment.value(2), segment, DOCUMENTS);
  },
  REF: (item, segment) => {
    item.breakRunOn(segment);
    (item.attachment ?? item).references.read(segment);
  },
  CAT: (item, segment) => {
    if (item.attachment === null) return;
    item.attachment.reportType = segment.value(1);
    item.attachment.reportCode = segment.value(2);
  },
  EFI: (item, segment) => {
    const [format, compression, name] = [segment.value(7), segment.value(9), segment.value(12)];
    if (item.attachment !== null) item.attachment.file = { format, compression, file_name: name };
  },
  N4: (item, segment) => {
    if (item.party !== null) readPartyDetail(item.party, segment);
  },
  DMG: (item, segment) => {
    if (item.party !== null) readPartyDetail(item.party, segment);
  },
});

export const describeAttachment = (attachment: Attachment): Record<string, unknown> =>
  compact({
    number: attachment.number,
    control_numbers: attachment.traces,
    request: attachment.request,
    report_type: attachment.reportType,
    report_code: attachment.reportCode,
    submitted: attachment.period?.from,
    documents: attachment.documents,
  });
