import { ItemSink, type Refusal } from '../../emit.js';
import type { AdapterItem, AdapterOptions, AdapterWarning, Part, Position } from '../../format-adapter.js';
import { ByteWindow } from '../../values/byte-window.js';
import { isUsable } from '../../values/payload.js';
import { Batch, batchRecordOf } from './batch-records.js';
import {
  checkTransmission,
  groupFaultOf,
  positionOfGroup,
  strictFaultOf,
  type TransactionKind,
} from './check-transmission.js';
import type { TelecomHeader } from './header.js';
import { AskedMembers, mapTransaction } from './map-transaction.js';
import { readTransmission } from './read-transmission.js';
import { RecordSplitter, type TelecomRecord } from './record-splitter.js';
import { type Group, type Transmission, type Warn, warnInto } from './segment.js';
import { wholenessOf } from './wholeness.js';

const NO_MEMBER: Record<TelecomHeader['kind'], string> = {
  request: '302-C2 names no cardholder',
  response: 'neither 302-C2 nor 332-CY names a member: the member of the request is used',
};

const MEMBER_WITHHELD = 'the transmission is cut inside this transaction: its member is withheld';

/** Reads a body of D.0 and F6 transmissions, with the batches around them, into items. */
export class TelecomReader {
  readonly #window: ByteWindow;
  readonly #splitter: RecordSplitter;
  readonly #sink = new ItemSink();
  readonly #asked = new AskedMembers();
  #batch: Batch | null = null;
  #segments = 0;
  readonly #options: AdapterOptions;

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.#window = new ByteWindow(options.limits.windowBytes);
    this.#splitter = new RecordSplitter(
      this.#window,
      { record: (record) => this.#take(record), tooLong: (start) => this.#takeTooLong(start) },
      options.limits.segmentBytes,
    );
  }

  push(chunk: Uint8Array): void {
    if (this.#window.push(chunk)) this.#splitter.scan(false);
  }

  finish(): void {
    this.#window.flush();
    this.#splitter.scan(true);
    this.#closeBatch();
  }

  drain(): AdapterItem[] {
    return this.#sink.drain();
  }

  #take(record: TelecomRecord): void {
    const text = this.#window.slice(record.start, Math.min(record.end, record.start + 100));
    const kind = record.framed ? batchRecordOf(text) : null;
    const position = { byteOffset: record.start, segmentNumber: this.#segments + 1 };
    if (kind === 'header') {
      this.#closeBatch();
      this.#batch = new Batch(text, position);
      this.#segments += 1;
    } else if (kind === 'trailer') {
      this.#segments += 1;
      this.#batch?.trailer(text, position);
      this.#closeBatch();
    } else this.#takeTransmission(record, text);
  }

  #takeTransmission(record: TelecomRecord, text: string): void {
    this.#batch?.take();
    // 701 = G1 and 880-K5 precede each transmission of a batch.
    const reference = record.framed && text.startsWith('G1') ? text.slice(2, 12).trim() : '';
    const start = reference === '' ? record.start : Math.min(record.start + 12, record.end);
    const { end, framed, terminated } = record;
    const place = { start, end, framed, terminated, batchReference: reference, segmentsBefore: this.#segments };
    const read = readTransmission(this.#window, place);
    const position = { byteOffset: start, segmentNumber: this.#segments + 1, transactionPosition: 1 };
    if ('unreadable' in read) {
      const { code, message, header } = read.unreadable;
      this.#segments += 1;
      const item = header === null ? 'bytes' : 'transmission';
      const part = this.#window.partOf(start, end);
      this.#sink.refuse({ code, message, item, exceptionKind: 'PARSE_FAILED' }, position, part);
      if (header !== null) this.#endTransmission(header, position, { count: 0, complete: false, reference });
      return;
    }
    this.#segments += read.transmission.segmentCount;
    this.#mapTransmission(read.transmission);
  }

  #mapTransmission(transmission: Transmission): void {
    const { header, position, part, warnings, lost } = transmission;
    const warn = warnInto(warnings, position);
    const checked = checkTransmission(transmission, this.#options.strict, warn);
    let accepted = 0;
    let refused = 0;
    const refuse = (refusal: Refusal, at: Position, own: Part): void => {
      refused += 1;
      this.#sink.refuse(refusal, at, own);
    };
    if ('refusal' in checked) refuse(checked.refusal, position, part);
    else {
      const { kind, groups } = checked;
      for (const [at, group] of groups.entries()) {
        const whole = groups.length === 1 && lost === null;
        const own = whole ? part : this.#window.partOf(group.start, group.end);
        const fault =
          groupFaultOf(transmission, kind, group) ??
          this.#mapGroup(transmission, { kind, group, own, number: at + 1, count: groups.length });
        if (fault === null) accepted += 1;
        else refuse(fault, positionOfGroup(transmission, group), own);
      }
    }
    if (lost !== null) {
      const message = 'this transmission has a second patient or insurance: the header before it was lost';
      const refusal = { code: 'HEADER_LOST', message, item: 'transmission', exceptionKind: 'PARSE_FAILED' } as const;
      refuse(refusal, lost.position, this.#window.partOf(lost.start, lost.end));
    }
    const complete = !transmission.cut && lost === null;
    if (accepted > 0) {
      const { code: transaction, version } = header;
      const controlNumbers = this.#controlNumbers(transmission);
      // Each event has the warnings.
      const counts = { segmentCount: transmission.segmentCount, accepted, refused, complete, warnings: [] };
      this.#sink.push({ kind: 'transaction', transaction, version, controlNumbers, position, ...counts });
    }
    this.#endTransmission(header, position, { count: accepted, complete, reference: transmission.batchReference });
  }

  /** Emits the event of a transaction, or its rejection if strict reading finds a fault. */
  #mapGroup(
    transmission: Transmission,
    about: { kind: TransactionKind; group: Group; own: Part; number: number; count: number },
  ): Refusal | null {
    const { header } = transmission;
    const { kind, group, own, number, count } = about;
    const warnings: AdapterWarning[] = [...transmission.warnings];
    const position = positionOfGroup(transmission, group);
    const warn = warnInto(warnings, transmission.position);
    const options = { receivedAt: this.#options.receivedAt, zone: this.#options.tenantTimeZone ?? 'UTC' };
    const found = { transmission, kind, group, number, sha256: own.contentSha256 ?? own.sha256 };
    const transaction = header.kind === 'request' ? found : { ...found, askedMember: this.#asked.of(found) };
    const { envelope, received } = mapTransaction(transaction, options, warn);
    const wholeness = wholenessOf(transmission, number, count);
    const isCut = wholeness.grade === 'CUT';
    if (isCut) delete envelope.member_id;
    if (header.kind === 'request') this.#asked.note(found, envelope.member_id);
    const sourceSystem = this.#sourceSystemOf(header, warn);
    const fault = this.#options.strict ? strictFaultOf({ ...transmission, warnings }) : null;
    if (fault !== null) return fault;
    const { code, version } = header;
    const controlNumbers = this.#controlNumbers(transmission);
    this.#sink.event({
      envelope: { ...envelope, source_system: sourceSystem },
      part: own,
      position,
      warnings,
      received,
      raw: { format: 'ncpdp', transaction: code, version, controlNumbers, warningPlace: 'body', wholeness },
      lacks: { message: isCut ? MEMBER_WITHHELD : NO_MEMBER[header.kind] },
    });
    return null;
  }

  #controlNumbers({ batchReference }: Transmission): Record<string, string> {
    return {
      ...(this.#batch !== null && { batch: this.#batch.number }),
      ...(batchReference !== '' && { reference: batchReference }),
    };
  }

  #sourceSystemOf(header: TelecomHeader, warn: Warn): string {
    if (this.#options.sourceSystem !== undefined) return this.#options.sourceSystem;
    const named = [header.bin, header.pcn].filter((part) => part !== '').join('/');
    if (isUsable(named, 128)) return named;
    // A response names no BIN: the format name is the source system.
    warn('SENDER_MISSING', '101-A1 and 104-A4 name no sender: the source system is the format name');
    return 'ncpdp';
  }

  /** The header for the acknowledgement. */
  #endTransmission(
    { kind, version, code, count, qualifier, provider, date, bin, pcn }: TelecomHeader,
    position: Position,
    about: { count: number; complete: boolean; reference: string },
  ): void {
    const sender = [bin, pcn].filter((part) => part !== '').join('/');
    const header = { kind, version, code, qualifier, provider, date, sender, reference: about.reference };
    const declaredCount = count === null ? null : String(count);
    this.#sink.endMessage(header, position, { count: about.count, complete: about.complete, declaredCount });
  }

  #takeTooLong(start: number): void {
    const message = 'the transmission exceeds the size limit';
    const position = { byteOffset: start, segmentNumber: this.#segments + 1 };
    const refusal = { code: 'TRANSMISSION_TOO_LONG', message, item: 'bytes', exceptionKind: 'PARSE_FAILED' } as const;
    this.#sink.refuse(refusal, position);
  }

  #closeBatch(): void {
    if (this.#batch === null) return;
    this.#sink.push(this.#batch.item());
    this.#batch = null;
  }
}
