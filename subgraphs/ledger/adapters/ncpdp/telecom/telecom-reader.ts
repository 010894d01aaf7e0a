import type { AdapterItem, AdapterOptions, AdapterWarning, Part, Position } from '../../adapter.js';
import { isUsable } from '../../hl7v2/identity.js';
import { ByteWindow } from '../byte-window.js';
import { ItemSink } from '../item-sink.js';
import type { Refusal } from '../refusal.js';
import { AskedMembers } from './asked-members.js';
import { Batch, batchRecordOf } from './batch-records.js';
import { groupFaultOf, judgeTransmission, positionOfGroup, strictFaultOf } from './check-transmission.js';
import type { TelecomHeader } from './header.js';
import { mapTransaction } from './map-transaction.js';
import { readTransmission } from './read-transmission.js';
import { RecordSplitter, type TelecomRecord } from './record-splitter.js';
import type { TransactionKind } from './transaction-codes.js';
import { type Group, type Transmission, type Warn, warnInto } from './transmission.js';

const noMember: Record<TelecomHeader['kind'], string> = {
  request: '302-C2 names no cardholder',
  response: 'neither 302-C2 nor 332-CY names a member: the request that is answered does',
};

/** Reads a body of D.0 transmissions, and the batches around them, into items. */
export class TelecomReader {
  private readonly window: ByteWindow;
  private readonly splitter: RecordSplitter;
  private readonly sink = new ItemSink();
  private readonly asked = new AskedMembers();
  private batch: Batch | null = null;
  private segments = 0;
  private readonly options: AdapterOptions;

  constructor(options: AdapterOptions) {
    this.options = options;
    this.window = new ByteWindow(options.limits.windowBytes);
    this.splitter = new RecordSplitter(
      this.window,
      { record: (record) => this.take(record), tooLong: (start) => this.takeTooLong(start) },
      options.limits.segmentBytes,
    );
  }

  push(chunk: Uint8Array): void {
    if (this.window.push(chunk)) this.splitter.scan(false);
  }

  finish(): void {
    this.window.flush();
    this.splitter.scan(true);
    this.closeBatch();
  }

  drain(): AdapterItem[] {
    return this.sink.drain();
  }

  private take(record: TelecomRecord): void {
    const text = this.window.slice(record.start, Math.min(record.end, record.start + 100));
    const kind = record.framed ? batchRecordOf(text) : null;
    const position = { byteOffset: record.start, segmentNumber: this.segments + 1 };
    if (kind === 'header') {
      this.closeBatch();
      this.batch = new Batch(text, position);
      this.segments += 1;
    } else if (kind === 'trailer') {
      this.segments += 1;
      this.batch?.trailer(text, position);
      this.closeBatch();
    } else this.takeTransmission(record, text);
  }

  private takeTransmission(record: TelecomRecord, text: string): void {
    this.batch?.take();
    // 701 = G1 and 880-K5 stand before each transmission of a batch.
    const reference = record.framed && text.startsWith('G1') ? text.slice(2, 12).trim() : '';
    const start = reference === '' ? record.start : Math.min(record.start + 12, record.end);
    const { end, framed } = record;
    const read = readTransmission(this.window, {
      start,
      end,
      framed,
      recordStart: record.start,
      terminated: record.terminated,
      batchReference: reference,
      segmentsBefore: this.segments,
    });
    const position = { byteOffset: start, segmentNumber: this.segments + 1, transactionPosition: 1 };
    if ('unreadable' in read) {
      const { code, message, header } = read.unreadable;
      this.segments += 1;
      const item = header === null ? 'bytes' : 'transmission';
      this.sink.refuse(
        { code, message, item, exceptionKind: 'PARSE_FAILED' },
        position,
        this.window.partOf(start, end),
      );
      if (header !== null) this.endTransmission(header, position, { count: 0, complete: false, reference });
      return;
    }
    this.segments += read.transmission.segmentCount;
    this.mapTransmission(read.transmission);
  }

  private mapTransmission(transmission: Transmission): void {
    const { header, position, part, warnings, lost } = transmission;
    const warn = warnInto(warnings, position);
    const judged = judgeTransmission(transmission, this.options.strict, warn);
    let accepted = 0;
    let refused = 0;
    const refuse = (refusal: Refusal, at: Position, own: Part): void => {
      refused += 1;
      this.sink.refuse(refusal, at, own);
    };
    if ('refusal' in judged) refuse(judged.refusal, position, part);
    else {
      const { kind, groups } = judged;
      for (const [at, group] of groups.entries()) {
        const whole = groups.length === 1 && lost === null;
        const own = whole ? part : this.window.partOf(group.start, group.end);
        const fault =
          groupFaultOf(transmission, kind, group) ?? this.mapGroup(transmission, { kind, group, own, number: at + 1 });
        if (fault === null) accepted += 1;
        else refuse(fault, positionOfGroup(transmission, group), own);
      }
    }
    if (lost !== null) {
      const message = 'a second patient or insurance stands in this transmission: the header before it was lost';
      const refusal = { code: 'HEADER_LOST', message, item: 'transmission', exceptionKind: 'PARSE_FAILED' } as const;
      refuse(refusal, lost.position, this.window.partOf(lost.start, lost.end));
    }
    const complete = !transmission.cut && lost === null;
    if (accepted > 0) this.pushTransaction(transmission, { accepted, refused, complete });
    this.endTransmission(header, position, { count: accepted, complete, reference: transmission.batchReference });
  }

  /** Gives the event of a transaction; says why not, where strict reading finds a fault in it. */
  private mapGroup(
    transmission: Transmission,
    about: { kind: TransactionKind; group: Group; own: Part; number: number },
  ): Refusal | null {
    const { header } = transmission;
    const { kind, group, own, number } = about;
    const warnings: AdapterWarning[] = [...transmission.warnings];
    const position = positionOfGroup(transmission, group);
    const warn = warnInto(warnings, transmission.position);
    const options = { receivedAt: this.options.receivedAt, zone: this.options.tenantTimeZone ?? 'UTC' };
    const found = { transmission, kind, group, number, sha256: own.sha256 };
    const transaction = header.kind === 'request' ? found : { ...found, askedMember: this.asked.of(found) };
    const { envelope, received } = mapTransaction(transaction, options, warn);
    if (header.kind === 'request') this.asked.note(found, envelope.member_id);
    const sourceSystem = this.sourceSystemOf(header, warn);
    const fault = this.options.strict ? strictFaultOf({ ...transmission, warnings }) : null;
    if (fault !== null) return fault;
    this.sink.event(
      { ...envelope, source_system: sourceSystem },
      {
        part: own,
        position,
        warnings,
        received,
        raw: { transaction: header.code, version: header.version, controlNumbers: this.controlNumbers(transmission) },
        lacks: noMember[header.kind],
      },
    );
    return null;
  }

  private controlNumbers({ batchReference }: Transmission): Record<string, string> {
    return {
      ...(this.batch !== null && { batch: this.batch.number }),
      ...(batchReference !== '' && { reference: batchReference }),
    };
  }

  private sourceSystemOf(header: TelecomHeader, warn: Warn): string {
    if (this.options.sourceSystem !== undefined) return this.options.sourceSystem;
    const named = [header.bin, header.pcn].filter((part) => part !== '').join('/');
    if (isUsable(named, 128)) return named;
    // A response names no BIN: the format stands for its sender.
    warn('SENDER_MISSING', '101-A1 and 104-A4 name no sender: the format stands for it');
    return 'ncpdp';
  }

  private pushTransaction(
    transmission: Transmission,
    { accepted, refused, complete }: { accepted: number; refused: number; complete: boolean },
  ): void {
    const { header, position, segmentCount } = transmission;
    const { code: transaction, version } = header;
    const controlNumbers = this.controlNumbers(transmission);
    // Its warnings stand with each event.
    const counts = { segmentCount, accepted, refused, complete, warnings: [] };
    this.sink.push({ kind: 'transaction', transaction, version, controlNumbers, position, ...counts });
  }

  /** The header as an acknowledgement needs it. */
  private endTransmission(
    { kind, version, code, count, qualifier, provider, date, bin, pcn }: TelecomHeader,
    position: Position,
    about: { count: number; complete: boolean; reference: string },
  ): void {
    const sender = [bin, pcn].filter((part) => part !== '').join('/');
    const header = { kind, version, code, qualifier, provider, date, sender, reference: about.reference };
    const declaredCount = count === null ? null : String(count);
    const { count: read, complete } = about;
    this.sink.push({
      kind: 'wrapper',
      level: 'message',
      header,
      position,
      declaredCount,
      count: read,
      complete,
      warnings: [],
    });
  }

  private takeTooLong(start: number): void {
    const message = 'the transmission is longer than may be held';
    const position = { byteOffset: start, segmentNumber: this.segments + 1 };
    this.sink.refuse(
      { code: 'TRANSMISSION_TOO_LONG', message, item: 'bytes', exceptionKind: 'PARSE_FAILED' },
      position,
    );
  }

  private closeBatch(): void {
    if (this.batch === null) return;
    this.sink.push(this.batch.item());
    this.batch = null;
  }
}
