import type {
  Acknowledgement,
  Acknowledger,
  AdapterItem,
  ItemOutcome,
  RefusedItem,
  TransactionItem,
  WrapperItem,
} from '../adapter.js';
import {
  contentInvalid,
  duplicateNote,
  groupErrors,
  interchangeNotes,
  segmentsInError,
  transactionErrors,
} from './acknowledge-codes.js';
import { type GroupAnswer, type InterchangeAnswer, interchangeText } from './acknowledge-text.js';
import { type TransactionAnswer, TransactionFaults } from './acknowledge-transaction.js';

/** Interchanges answered of one body, and transactions and faults told one by one; the counts of AK9 hold all of them. */
const interchangesLimit = 1_000;
const transactionsLimit = 5_000;
const faultsLimit = 5_000;
/** Control numbers have nine digits and begin again at 1. */
const highestNumber = 999_999_999;

type Answer = (about: { nowIso: string; control: string }) => string;

/**
 * TA1 and 999 (005010X231): one interchange of answers for each that came, in it a TA1, and a 999 for each group but
 * those that are acknowledgements themselves. Lenient reading takes what it can, and tells of faults as "accepted with
 * errors"; strict reading rejects.
 */
export class X12Acknowledger implements Acknowledger {
  private readonly strict: boolean;
  private readonly answers: Answer[] = [];
  private answered = 0;
  private transaction = new TransactionFaults(faultsLimit);
  private transactions: TransactionAnswer[] = [];
  private last: TransactionAnswer | null = null;
  private told = { transactions: 0, faults: 0 };
  private received = { all: 0, duplicates: 0, events: 0, acknowledgements: 0 };
  private inGroup = { accepted: 0, faulty: 0 };
  private groups: GroupAnswer[] = [];
  private groupRefused = false;
  private interchangeRefused: RefusedItem | null = null;
  private interchangeCodes = new Set<string>();

  constructor({ strict }: { strict: boolean }) {
    this.strict = strict;
  }

  take(item: AdapterItem, outcome?: ItemOutcome): void {
    if (item.kind === 'event') {
      this.received.events += 1;
      if (outcome?.status === 'DUPLICATE') this.received.duplicates += 1;
      const { position } = item;
      for (const warning of item.warnings) this.transaction.add(warning);
      this.transaction.event({ code: outcome?.code ?? 'REJECTED', position }, outcome);
    } else if (item.kind === 'refused') this.takeRefused(item);
    else if (item.kind === 'exception') this.transaction.add(item);
    else if (item.kind === 'transaction') this.takeTransaction(item);
    else if (item.level === 'group') this.takeGroup(item);
    else if (item.level === 'interchange') this.takeInterchange(item);
  }

  count(): number {
    return this.answers.length;
  }

  finish({ nowIso, controlNumber }: { nowIso: string; controlNumber: string }): Acknowledgement | null {
    if (this.answers.length === 0) return null;
    const first = Number(controlNumber);
    const text = this.answers
      .map((answer, at) => answer({ nowIso, control: String(((first + at - 1) % highestNumber) + 1) }))
      .join('');
    return { format: 'x12', mediaType: 'application/edi-x12', text };
  }

  private takeRefused(item: RefusedItem): void {
    if (item.whole === 'group') this.groupRefused = true;
    else if (item.whole === 'interchange') this.interchangeRefused = item;
    else if (item.item === 'TA1') this.received.acknowledgements += 1;
    else if (item.whole === 'transaction') this.refuseLast(item);
    else if (item.code === 'SEGMENT_OUTSIDE_TRANSACTION' || item.position?.transactionPosition === undefined) {
      this.interchangeCodes.add(noteOf(item.code) === undefined ? contentInvalid : item.code);
    } else this.transaction.refused(item);
  }

  /** Strict reading refuses a transaction after its end. */
  private refuseLast(item: RefusedItem): void {
    const { last } = this;
    if (last === null || last.status === 'R') return;
    this.inGroup.accepted -= 1;
    if (last.status === 'E') this.inGroup.faulty -= 1;
    last.status = 'R';
    if (last.errors.length === 0) last.errors = [transactionErrors[item.code] ?? segmentsInError];
  }

  private takeTransaction(item: TransactionItem): void {
    const answer = this.transaction.finish(item);
    this.told.faults += answer.faults.length;
    this.transaction = this.nextFaults();
    this.received.all += 1;
    this.last = null;
    // A 999 answers a group: of a transaction outside one, the TA1 tells (022).
    if (item.controlNumbers['group'] === '') return;
    this.last = answer;
    if (answer.status !== 'R') this.inGroup.accepted += 1;
    if (answer.status === 'E') this.inGroup.faulty += 1;
    if (this.told.transactions >= transactionsLimit) return;
    this.told.transactions += 1;
    this.transactions.push(answer);
  }

  /** Beyond the limit the first fault of each transaction is told. */
  private nextFaults(): TransactionFaults {
    return new TransactionFaults(Math.max(1, faultsLimit - this.told.faults));
  }

  private takeGroup(item: WrapperItem): void {
    const { transactions, inGroup, groupRefused } = this;
    this.transactions = [];
    this.inGroup = { accepted: 0, faulty: 0 };
    this.last = null;
    this.groupRefused = false;
    // A 999 or 997 is never answered by another.
    if (item.header['functional_id'] === 'FA') {
      this.received.acknowledgements += 1;
      return;
    }
    const errors = item.warnings.flatMap(({ code }) => groupErrors[code] ?? []);
    const accepted = groupRefused ? 0 : inGroup.accepted;
    const declared = Number(item.declaredCount ?? item.count);
    const isFaulty = errors.length > 0 || inGroup.faulty > 0;
    this.groups.push({
      header: item.header,
      // A group refused as a whole answers for its transactions.
      transactions: groupRefused ? [] : transactions,
      status: statusOf(accepted, item.count, isFaulty, groupRefused),
      declared: Number.isSafeInteger(declared) && declared >= 0 && declared <= 999_999 ? declared : item.count,
      received: item.count,
      accepted,
      errors,
    });
  }

  private takeInterchange(item: WrapperItem): void {
    const { groups, interchangeRefused, received } = this;
    for (const { code } of item.warnings) this.interchangeCodes.add(code);
    const answer = this.judge();
    const { header } = item;
    this.reset();
    // An interchange of nothing but acknowledgements asks for none, or two systems would answer each other for ever.
    const asks = header['acknowledgement_requested'] === '1' && groups.length === 0 && received.all > 0;
    if (groups.length === 0 && received.acknowledgements > 0 && !asks && interchangeRefused === null) return;
    this.answered += 1;
    if (this.answered > interchangesLimit) return;
    // Without an ISA there is nothing that a TA1 could name: the group's addresses stand in for its.
    const hasHeader = header['control_number'] !== undefined;
    const address = hasHeader ? header : (groups[0]?.header ?? {});
    const told = answer.status === 'R' ? [] : groups;
    if (!hasHeader && told.length === 0) return;
    this.answers.push((about) => interchangeText(address, hasHeader ? answer : null, told, about));
  }

  /** TA1: refused as a whole, taken with faults, or taken. What came before is said to be so. */
  private judge(): InterchangeAnswer {
    const { interchangeRefused, interchangeCodes, received, strict } = this;
    const codes =
      interchangeRefused === null ? interchangeCodes : new Set([interchangeRefused.code, ...interchangeCodes]);
    const note = interchangeNotes.find(([code]) => codes.has(code))?.[1];
    if (interchangeRefused !== null) return { status: 'R', note: note ?? '024' };
    const repeats = received.events > 0 && received.duplicates === received.events;
    if (repeats) return { status: strict ? 'R' : 'E', note: duplicateNote };
    return note === undefined ? { status: 'A', note: '000' } : { status: 'E', note };
  }

  private reset(): void {
    this.groups = [];
    this.transaction = this.nextFaults();
    this.transactions = [];
    this.inGroup = { accepted: 0, faulty: 0 };
    this.received = { all: 0, duplicates: 0, events: 0, acknowledgements: 0 };
    this.interchangeRefused = null;
    this.interchangeCodes = new Set();
  }
}

const noteOf = (code: string): string | undefined => interchangeNotes.find(([known]) => known === code)?.[1];

/** AK901. */
function statusOf(accepted: number, received: number, isFaulty: boolean, isRefused: boolean): GroupAnswer['status'] {
  if (isRefused || (accepted === 0 && received > 0)) return 'R';
  if (accepted < received) return 'P';
  return isFaulty ? 'E' : 'A';
}
