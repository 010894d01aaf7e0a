import type { Acknowledgement, Acknowledger, AdapterItem, ItemOutcome } from '../adapter.js';
import { scriptAnswer } from './script/answer.js';
import { kindOf } from './script/message-kinds.js';
import { batchAnswer, lostAnswer, telecomAnswer } from './telecom/answer.js';

/** Answers kept for one body. */
const answersLimit = 1_000;
/** Transactions told of in one answer; the standard knows four. */
const partsLimit = 9;

/** What became of one transaction. */
export interface AnsweredPart {
  readonly status: 'ACCEPTED' | 'DUPLICATE' | 'REJECTED';
  readonly code: string;
  readonly message: string;
  /** True where the transmission as a whole was refused. */
  readonly refused: boolean;
  /** 402-D2 and 455-EM. */
  readonly number: string;
  readonly qualifier: string;
}

export interface AnswerAbout {
  readonly nowIso: string;
  /** New for each answer of a body. */
  readonly controlNumber: string;
}

export type Header = Readonly<Record<string, string>>;

/**
 * The answers that senders wait for: a D.0 response to each request, a Status or an Error to each SCRIPT message. Responses,
 * Status, Error and Verify are answers themselves, and are not answered.
 */
export class NcpdpAcknowledger implements Acknowledger {
  private readonly answers: { text: (about: AnswerAbout) => string; reference: string }[] = [];
  private parts: AnsweredPart[] = [];
  private batch: Header | null = null;
  private omitted = 0;
  private script = false;
  /** Refused bytes that showed no header to answer to. */
  private lost: AnsweredPart[] = [];

  take(item: AdapterItem, outcome?: ItemOutcome): void {
    if (item.kind === 'event') this.keep(answeredEvent(item, outcome));
    else if (item.kind === 'refused') this.takeRefused(item);
    else if (item.kind !== 'wrapper') return;
    else if (item.level === 'message') this.takeMessage(item.header);
    else this.batch ??= item.header;
  }

  finish({ nowIso, controlNumber }: AnswerAbout): Acknowledgement | null {
    if (this.lost.length > 0) this.answer((about) => lostAnswer(this.lost, about), '');
    const several = this.answers.length > 1;
    const texts = this.answers.map(({ text, reference }, at) => ({
      text: text({ nowIso, controlNumber: several ? `${controlNumber}-${at + 1}` : controlNumber }),
      reference,
    }));
    if (texts.length === 0) return null;
    const { batch, omitted } = this;
    const joined = texts.map(({ text }) => text).join(this.script ? '' : '\r\n');
    const text = batch === null ? joined : batchAnswer(batch, texts, { nowIso, omitted });
    return { format: 'ncpdp', mediaType: this.script ? 'application/xml' : 'application/x-ncpdp', text };
  }

  private takeRefused({ code, message, item }: Extract<AdapterItem, { kind: 'refused' }>): void {
    const part = { status: 'REJECTED', code, message, refused: true, number: '', qualifier: '' } as const;
    if (item !== 'bytes') this.keep(part);
    else if (this.lost.length < partsLimit) this.lost.push(part);
  }

  private keep(part: AnsweredPart): void {
    if (this.parts.length < partsLimit) this.parts.push(part);
  }

  private takeMessage(header: Header): void {
    const { parts } = this;
    this.parts = [];
    if (header['kind'] === 'script') {
      this.script = true;
      const names = (header['transactions'] ?? '').split(' ').filter((name) => name !== '');
      if (names.length > 0 && names.every((name) => kindOf(name)?.acknowledges === true)) return;
      this.answer((about) => scriptAnswer(header, parts, about), '');
    } else if (header['kind'] === 'request') {
      this.answer((about) => telecomAnswer(header, parts, about), header['reference'] ?? '');
    }
  }

  private answer(text: (about: AnswerAbout) => string, reference: string): void {
    if (this.answers.length >= answersLimit) this.omitted += 1;
    else this.answers.push({ text, reference });
  }
}

function answeredEvent({ envelope }: Extract<AdapterItem, { kind: 'event' }>, outcome?: ItemOutcome): AnsweredPart {
  const prescription = envelope.payload['prescription'] as { number?: string; qualifier?: string } | undefined;
  return {
    status: outcome?.status ?? 'ACCEPTED',
    code: outcome?.code ?? '',
    message: outcome?.message ?? '',
    refused: false,
    number: prescription?.number ?? '',
    qualifier: prescription?.qualifier ?? '',
  };
}
