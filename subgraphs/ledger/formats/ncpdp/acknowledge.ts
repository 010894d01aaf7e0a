import type { Acknowledgement, Acknowledger, AdapterItem, ItemOutcome } from '../format-adapter.js';
import { scriptAnswer } from './script/answer.js';
import { kindOf } from './script/message-kinds.js';
import { batchAnswer, lostAnswer, telecomAnswer } from './telecom/answer.js';

/** The most answers for one body. */
const ANSWERS_LIMIT = 1_000;
/** The most transactions in one answer; the standard allows four. */
const PARTS_LIMIT = 9;

/** The outcome of one transaction. */
export interface AnsweredPart {
  readonly status: 'ACCEPTED' | 'DUPLICATE' | 'REJECTED';
  readonly code: string;
  readonly message: string;
  /** True if the transmission as a whole was rejected. */
  readonly refused: boolean;
  /** 402-D2 and 455-EM. */
  readonly number: string;
  readonly qualifier: string;
}

export interface AnswerAbout {
  readonly nowIso: string;
  /** A new number for each answer of a body. */
  readonly controlNumber: string;
}

export type Header = Readonly<Record<string, string>>;

/**
 * Builds the answers: a D.0 or F6 response to each request, a Status or an Error to each SCRIPT message. Responses, Status,
 * Error and Verify are answers themselves and get none.
 */
export class NcpdpAcknowledger implements Acknowledger {
  readonly #answers: { text: (about: AnswerAbout) => string; reference: string }[] = [];
  #parts: AnsweredPart[] = [];
  #batch: Header | null = null;
  #omitted = 0;
  #script = false;
  /** Rejected bytes without a readable header. */
  #lost: AnsweredPart[] = [];

  take(item: AdapterItem, outcome?: ItemOutcome): void {
    if (item.kind === 'event') this.#keep(answeredEvent(item, outcome));
    else if (item.kind === 'refused') this.#takeRefused(item);
    else if (item.kind !== 'wrapper') return;
    else if (item.level === 'message') this.#takeMessage(item.header);
    else this.#batch ??= item.header;
  }

  finish({ nowIso, controlNumber }: AnswerAbout): Acknowledgement | null {
    if (this.#lost.length > 0) this.#answer((about) => lostAnswer(this.#lost, about), '');
    const several = this.#answers.length > 1;
    const texts = this.#answers.map(({ text, reference }, at) => ({
      text: text({ nowIso, controlNumber: several ? `${controlNumber}-${at + 1}` : controlNumber }),
      reference,
    }));
    if (texts.length === 0) return null;
    const batch = this.#batch;
    const omitted = this.#omitted;
    const joined = texts.map(({ text }) => text).join(this.#script ? '' : '\r\n');
    const text = batch === null ? joined : batchAnswer(batch, texts, { nowIso, omitted });
    return { format: 'ncpdp', mediaType: this.#script ? 'application/xml' : 'application/x-ncpdp', text };
  }

  #takeRefused({ code, message, item }: Extract<AdapterItem, { kind: 'refused' }>): void {
    const part = { status: 'REJECTED', code, message, refused: true, number: '', qualifier: '' } as const;
    if (item !== 'bytes') this.#keep(part);
    else if (this.#lost.length < PARTS_LIMIT) this.#lost.push(part);
  }

  #keep(part: AnsweredPart): void {
    if (this.#parts.length < PARTS_LIMIT) this.#parts.push(part);
  }

  #takeMessage(header: Header): void {
    const parts = this.#parts;
    this.#parts = [];
    if (header['kind'] === 'script') {
      this.#script = true;
      const names = (header['transactions'] ?? '').split(' ').filter((name) => name !== '');
      if (names.length > 0 && names.every((name) => kindOf(name)?.acknowledges === true)) return;
      this.#answer((about) => scriptAnswer(header, parts, about), '');
    } else if (header['kind'] === 'request') {
      this.#answer((about) => telecomAnswer(header, parts, about), header['reference'] ?? '');
    }
  }

  #answer(text: (about: AnswerAbout) => string, reference: string): void {
    if (this.#answers.length >= ANSWERS_LIMIT) this.#omitted += 1;
    else this.#answers.push({ text, reference });
  }
}

function answeredEvent({ envelope }: Extract<AdapterItem, { kind: 'event' }>, outcome?: ItemOutcome): AnsweredPart {
  const { prescription } = envelope.payload;
  const said = (name: 'number' | 'qualifier'): string => {
    const value = typeof prescription === 'object' && prescription !== null ? Reflect.get(prescription, name) : '';
    return typeof value === 'string' ? value : '';
  };
  return {
    status: outcome?.status ?? 'ACCEPTED',
    code: outcome?.code ?? '',
    message: outcome?.message ?? '',
    refused: false,
    number: said('number'),
    qualifier: said('qualifier'),
  };
}
