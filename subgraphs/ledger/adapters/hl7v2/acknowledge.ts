import type { Acknowledgement, Acknowledger, AdapterItem, ItemOutcome, WrapperItem } from '../adapter.js';
import { answerText, batchText, type Fault, type Header, hl7Time, usualHeader } from './acknowledge-text.js';
import { conditionOf } from './error-conditions.js';

/** Answers kept for one body; a batch of more is answered by its count. */
const answersLimit = 1_000;
/** Faults told of one message. */
const faultsLimit = 20;

/**
 * ACK messages (chapter 2, "Message acknowledgment"): one for each MSH of the body. In the original mode AA, AE or AR; in the
 * enhanced mode, where MSH-15 or MSH-16 is valued, CA, CE or CR and AA, AE or AR as each of them asks for.
 */
export class Hl7Acknowledger implements Acknowledger {
  private readonly answers: ((about: { time: string; controlId: string }) => string)[] = [];
  private omitted = 0;
  private faults: Fault[] = [];
  private rejected = false;
  private batch: Header | null = null;
  /** Refused bytes that belong to no message. */
  private orphans: Fault[] = [];

  take(item: AdapterItem, outcome?: ItemOutcome): void {
    if (item.kind === 'event') this.takeEvent(item, outcome);
    else if (item.kind === 'refused') this.takeRefused(item);
    else if (item.kind === 'wrapper' && item.level === 'message') this.takeMessage(item);
    else if (item.kind === 'wrapper') this.batch ??= item.header;
  }

  finish({ nowIso, controlNumber }: { nowIso: string; controlNumber: string }): Acknowledgement | null {
    // What showed no MSH is answered without an address: the sender must learn of it.
    if (this.orphans.length > 0) this.answer(usualHeader, this.orphans, 'R');
    const time = hl7Time(nowIso);
    const texts = this.answers.map((answer, at) =>
      answer({ time, controlId: this.answers.length === 1 ? controlNumber : `${controlNumber}-${at + 1}` }),
    );
    if (texts.length === 0) return null;
    const { batch, omitted } = this;
    const text = batch === null ? texts.join('') : batchText(batch, texts, { time, controlNumber, omitted });
    return { format: 'hl7v2', mediaType: 'application/hl7-v2', text };
  }

  private takeEvent(item: Extract<AdapterItem, { kind: 'event' }>, outcome: ItemOutcome | undefined): void {
    for (const { code, message, segment, element, position } of item.warnings) {
      this.addFault({ code, message, severity: 'W', segment: segment ?? 'MSH', position, field: element });
    }
    if (outcome?.status === 'REJECTED') {
      const { code = 'REJECTED', message = 'the event was refused' } = outcome;
      this.addFault({ code, message, severity: 'E', segment: 'MSH', position: item.position, field: undefined });
    } else if (outcome?.status === 'DUPLICATE') {
      const message = 'the event was taken before';
      this.addFault({ code: 'DUPLICATE', message, severity: 'I', segment: 'MSH', position: item.position, field: 10 });
    }
  }

  private takeRefused({
    code,
    message,
    item,
    segment,
    element,
    position,
  }: Extract<AdapterItem, { kind: 'refused' }>): void {
    const fault = { code, message, severity: 'E', segment: segment ?? 'MSH', position, field: element } as const;
    if (item === 'segments') {
      if (this.orphans.length < faultsLimit) this.orphans.push(fault);
      return;
    }
    this.rejected ||= conditionOf(code).rejects;
    this.addFault(fault);
  }

  private addFault(fault: Fault): void {
    // An error must be told even where warnings came before it.
    if (fault.severity === 'E') this.faults.unshift(fault);
    else if (
      !this.faults.some(
        ({ code, segment, field }) => code === fault.code && segment === fault.segment && field === fault.field,
      )
    ) {
      this.faults.push(fault);
    }
    if (this.faults.length > faultsLimit) this.faults.pop();
  }

  private takeMessage({ header }: WrapperItem): void {
    const { faults, rejected } = this;
    this.faults = [];
    this.rejected = false;
    const failed = faults.some(({ severity }) => severity === 'E');
    const letter = rejected ? 'R' : failed ? 'E' : 'A';
    const accept = header['accept_acknowledgement'] ?? '';
    const application = header['application_acknowledgement'] ?? '';
    if (accept === '' && application === '') {
      this.answer(header, faults, letter, 'A');
      return;
    }
    if (isWanted(accept, failed)) this.answer(header, faults, letter, 'C');
    if (isWanted(application, failed)) this.answer(header, faults, letter, 'A');
  }

  private answer(header: Header, faults: readonly Fault[], letter: string, mode: 'A' | 'C' = 'A'): void {
    if (this.answers.length >= answersLimit) {
      this.omitted += 1;
      return;
    }
    this.answers.push((about) => answerText(header, faults, mode + letter, about));
  }
}

/** Table 0155: always, never, on error or rejection, on success. An empty field beside a valued one asks for nothing. */
function isWanted(condition: string, failed: boolean): boolean {
  if (condition === 'AL') return true;
  return (condition === 'ER' && failed) || (condition === 'SU' && !failed);
}
