import type { Acknowledgement, Acknowledger, AdapterItem, ItemOutcome, WrapperItem } from '../format-adapter.js';
import {
  answerText,
  batchText,
  conditionOf,
  type Fault,
  type Header,
  hl7Time,
  USUAL_HEADER,
} from './acknowledge-text.js';

/** The most answers for one body; a larger batch is answered by its count. */
const ANSWERS_LIMIT = 1_000;
/** The most faults listed for one message. */
const FAULTS_LIMIT = 20;

/**
 * Builds ACK messages (chapter 2, "Message acknowledgment"): one per MSH of the body. Original mode: AA, AE or AR.
 * Enhanced mode (MSH-15 or MSH-16 valued): CA, CE or CR and AA, AE or AR as each field requests.
 */
export class Hl7Acknowledger implements Acknowledger {
  readonly #answers: ((about: { time: string; controlId: string }) => string)[] = [];
  #omitted = 0;
  #faults: Fault[] = [];
  #rejected = false;
  #batch: Header | null = null;
  /** Rejected bytes that belong to no message. */
  #orphans: Fault[] = [];

  take(item: AdapterItem, outcome?: ItemOutcome): void {
    if (item.kind === 'event') this.#takeEvent(item, outcome);
    else if (item.kind === 'refused') this.#takeRefused(item);
    else if (item.kind === 'wrapper' && item.level === 'message') this.#takeMessage(item);
    else if (item.kind === 'wrapper') this.#batch ??= item.header;
  }

  finish({ nowIso, controlNumber }: { nowIso: string; controlNumber: string }): Acknowledgement | null {
    // Bytes without an MSH are answered without an address, so that the sender learns of them.
    if (this.#orphans.length > 0) this.#answer(USUAL_HEADER, this.#orphans, 'R');
    const time = hl7Time(nowIso);
    const texts = this.#answers.map((answer, at) =>
      answer({ time, controlId: this.#answers.length === 1 ? controlNumber : `${controlNumber}-${at + 1}` }),
    );
    if (texts.length === 0) return null;
    const batch = this.#batch;
    const omitted = this.#omitted;
    const text = batch === null ? texts.join('') : batchText(batch, texts, { time, controlNumber, omitted });
    return { format: 'hl7v2', mediaType: 'application/hl7-v2', text };
  }

  #takeEvent(item: Extract<AdapterItem, { kind: 'event' }>, outcome: ItemOutcome | undefined): void {
    for (const { code, message, segment, element, position } of item.warnings) {
      this.#addFault({ code, message, severity: 'W', segment: segment ?? 'MSH', position, field: element });
    }
    if (outcome?.status === 'REJECTED') {
      const { code = 'REJECTED', message = 'the event was rejected' } = outcome;
      this.#addFault({ code, message, severity: 'E', segment: 'MSH', position: item.position, field: undefined });
    } else if (outcome?.status === 'DUPLICATE') {
      const message = 'the event was stored before';
      this.#addFault({ code: 'DUPLICATE', message, severity: 'I', segment: 'MSH', position: item.position, field: 10 });
    }
  }

  #takeRefused({ code, message, item, segment, element, position }: Extract<AdapterItem, { kind: 'refused' }>): void {
    const fault = { code, message, severity: 'E', segment: segment ?? 'MSH', position, field: element } as const;
    if (item === 'segments') {
      if (this.#orphans.length < FAULTS_LIMIT) this.#orphans.push(fault);
      return;
    }
    this.#rejected ||= conditionOf(code).rejects;
    this.#addFault(fault);
  }

  #addFault(fault: Fault): void {
    // An error replaces an earlier warning when the list is full.
    if (fault.severity === 'E') this.#faults.unshift(fault);
    else if (
      !this.#faults.some(
        ({ code, segment, field }) => code === fault.code && segment === fault.segment && field === fault.field,
      )
    ) {
      this.#faults.push(fault);
    }
    if (this.#faults.length > FAULTS_LIMIT) this.#faults.pop();
  }

  #takeMessage({ header }: WrapperItem): void {
    const faults = this.#faults;
    const rejected = this.#rejected;
    this.#faults = [];
    this.#rejected = false;
    const failed = faults.some(({ severity }) => severity === 'E');
    const letter = rejected ? 'R' : failed ? 'E' : 'A';
    const accept = header['accept_acknowledgement'] ?? '';
    const application = header['application_acknowledgement'] ?? '';
    if (accept === '' && application === '') {
      this.#answer(header, faults, letter, 'A');
      return;
    }
    if (isWanted(accept, failed)) this.#answer(header, faults, letter, 'C');
    if (isWanted(application, failed)) this.#answer(header, faults, letter, 'A');
  }

  #answer(header: Header, faults: readonly Fault[], letter: string, mode: 'A' | 'C' = 'A'): void {
    if (this.#answers.length >= ANSWERS_LIMIT) {
      this.#omitted += 1;
      return;
    }
    this.#answers.push((about) => answerText(header, faults, mode + letter, about));
  }
}

/**
 * Table 0155: always, never, on error or rejection, on success. An empty field next to a valued one requests nothing.
 */
function isWanted(condition: string, failed: boolean): boolean {
  if (condition === 'AL') return true;
  return (condition === 'ER' && failed) || (condition === 'SU' && !failed);
}
