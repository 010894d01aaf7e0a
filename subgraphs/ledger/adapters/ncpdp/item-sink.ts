import type { AdapterItem, AdapterWarning, EnvelopeDraft, Part, Position } from '../adapter.js';
import { describeWarning } from '../hl7v2/message-items.js';
import type { Refusal } from './refusal.js';

/** What is told of an event's bytes in `payload.raw`. */
export interface RawFacts {
  readonly transaction: string;
  readonly version: string;
  readonly controlNumbers: Record<string, string>;
}

/** Items on their way out; counts the parts of the body. */
export class ItemSink {
  private items: AdapterItem[] = [];
  private nextIndex = 0;

  drain(): AdapterItem[] {
    const out = this.items;
    if (out.length > 0) this.items = [];
    return out;
  }

  push(item: AdapterItem): void {
    this.items.push(item);
  }

  refuse(refusal: Refusal, position: Position, part?: Part): void {
    const index = this.nextIndex++;
    this.items.push({ kind: 'refused', index, ...refusal, position, ...(part && { part }) });
  }

  /** An event, and the exception that tells of a member nobody named. */
  event(
    envelope: EnvelopeDraft,
    about: {
      part: Part;
      position: Position;
      warnings: AdapterWarning[];
      received: boolean;
      raw: RawFacts;
      lacks: string;
    },
  ): void {
    const index = this.nextIndex++;
    const { part, position, warnings, received, raw } = about;
    envelope.payload['raw'] = {
      part_sha256: part.sha256,
      offset: part.offset,
      length: part.length,
      format: 'ncpdp',
      transaction: raw.transaction,
      version: raw.version,
      control_numbers: raw.controlNumbers,
      warnings: warnings.map(describeWarning),
    };
    this.items.push({ kind: 'event', index, envelope, part, position, warnings, duplicateKeyOmitsTime: received });
    if (envelope.member_id !== undefined) return;
    this.items.push({
      kind: 'exception',
      exceptionKind: 'UNKNOWN_MEMBER',
      code: 'MEMBER_MISSING',
      message: about.lacks,
      index,
      position,
      part,
    });
  }
}
