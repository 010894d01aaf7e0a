import type {
  Acknowledgement,
  Acknowledger,
  AdapterItem,
  ItemOutcome,
  RefusedItem,
  TransactionItem,
  WrapperItem,
} from '../../format-adapter.js';
import {
  CONTENT_INVALID,
  DUPLICATE_NOTE,
  GROUP_ERRORS,
  INTERCHANGE_NOTES,
  SEGMENTS_IN_ERROR,
  TRANSACTION_ERRORS,
  type TransactionAnswer,
  TransactionFaults,
} from './faults.js';
import { type GroupAnswer, type InterchangeAnswer, interchangeText } from './text.js';

/**
 * Limits of one acknowledgement: interchanges, transactions and faults listed one by one. The counts of AK9 cover all.
 */
const INTERCHANGES_LIMIT = 1_000;
const TRANSACTIONS_LIMIT = 5_000;
const FAULTS_LIMIT = 5_000;
/** Control numbers have nine digits and restart at 1. */
const HIGHEST_NUMBER = 999_999_999;

type Answer = (about: { nowIso: string; control: string }) => string;

/**
 * Builds TA1 and 999 (005010X231): one answering interchange per interchange, with a TA1, and a 999 per group except
 * groups of acknowledgements. Lenient reading reports faults as "accepted with errors"; strict reading rejects.
 */
export class X12Acknowledger implements Acknowledger {
  readonly #strict: boolean;
  readonly #answers: Answer[] = [];
  #answered = 0;
  #transaction = new TransactionFaults(FAULTS_LIMIT);
  #transactions: TransactionAnswer[] = [];
  #last: TransactionAnswer | null = null;
  #listed = { transactions: 0, faults: 0 };
  #received = { all: 0, duplicates: 0, events: 0, acknowledgements: 0 };
  #inGroup = { accepted: 0, faulty: 0 };
  #groups: GroupAnswer[] = [];
  #groupRefused = false;
  #interchangeRefused: RefusedItem | null = null;
  #interchangeCodes = new Set<string>();

  constructor({ strict }: { strict: boolean }) {
    this.#strict = strict;
  }

  take(item: AdapterItem, outcome?: ItemOutcome): void {
    if (item.kind === 'event') {
      this.#received.events += 1;
      if (outcome?.status === 'DUPLICATE') this.#received.duplicates += 1;
      const { position } = item;
      for (const warning of item.warnings) this.#transaction.add(warning);
      this.#transaction.event({ code: outcome?.code ?? 'REJECTED', position }, outcome);
    } else if (item.kind === 'refused') this.#takeRefused(item);
    else if (item.kind === 'exception') this.#transaction.add(item);
    else if (item.kind === 'transaction') this.#takeTransaction(item);
    else if (item.level === 'group') this.#takeGroup(item);
    else if (item.level === 'interchange') this.#takeInterchange(item);
  }

  count(): number {
    return this.#answers.length;
  }

  finish({ nowIso, controlNumber }: { nowIso: string; controlNumber: string }): Acknowledgement | null {
    if (this.#answers.length === 0) return null;
    const first = Number(controlNumber);
    const text = this.#answers
      .map((answer, at) => answer({ nowIso, control: String(((first + at - 1) % HIGHEST_NUMBER) + 1) }))
      .join('');
    return { format: 'x12', mediaType: 'application/edi-x12', text };
  }

  #takeRefused(item: RefusedItem): void {
    if (item.whole === 'group') this.#groupRefused = true;
    else if (item.whole === 'interchange') this.#interchangeRefused = item;
    else if (item.item === 'TA1') this.#received.acknowledgements += 1;
    else if (item.whole === 'transaction') this.#refuseLast(item);
    else if (item.code === 'SEGMENT_OUTSIDE_TRANSACTION' || item.position?.transactionPosition === undefined) {
      this.#interchangeCodes.add(INTERCHANGE_NOTES.has(item.code) ? item.code : CONTENT_INVALID);
    } else this.#transaction.refused(item);
  }

  /** Strict reading rejects a transaction after its end. */
  #refuseLast(item: RefusedItem): void {
    const last = this.#last;
    if (last === null || last.status === 'R') return;
    this.#inGroup.accepted -= 1;
    if (last.status === 'E') this.#inGroup.faulty -= 1;
    last.status = 'R';
    if (last.errors.length === 0) last.errors = [TRANSACTION_ERRORS[item.code] ?? SEGMENTS_IN_ERROR];
  }

  #takeTransaction(item: TransactionItem): void {
    const answer = this.#transaction.finish(item);
    this.#listed.faults += answer.faults.length;
    this.#transaction = this.#nextFaults();
    this.#received.all += 1;
    this.#last = null;
    // A 999 answers a group; for a transaction outside a group the TA1 reports 022.
    if (item.controlNumbers['group'] === '') return;
    this.#last = answer;
    if (answer.status !== 'R') this.#inGroup.accepted += 1;
    if (answer.status === 'E') this.#inGroup.faulty += 1;
    if (this.#listed.transactions >= TRANSACTIONS_LIMIT) return;
    this.#listed.transactions += 1;
    this.#transactions.push(answer);
  }

  /** Beyond the limit each transaction still lists its first fault. */
  #nextFaults(): TransactionFaults {
    return new TransactionFaults(Math.max(1, FAULTS_LIMIT - this.#listed.faults));
  }

  #takeGroup(item: WrapperItem): void {
    const transactions = this.#transactions;
    const inGroup = this.#inGroup;
    const groupRefused = this.#groupRefused;
    this.#transactions = [];
    this.#inGroup = { accepted: 0, faulty: 0 };
    this.#last = null;
    this.#groupRefused = false;
    // A 999 or 997 must never answer another.
    if (item.header['functional_id'] === 'FA') {
      this.#received.acknowledgements += 1;
      return;
    }
    const errors = item.warnings.flatMap(({ code, agreedBy }) =>
      agreedBy === undefined ? (GROUP_ERRORS[code] ?? []) : [],
    );
    const accepted = groupRefused ? 0 : inGroup.accepted;
    const declared = Number(item.declaredCount ?? item.count);
    const isFaulty = errors.length > 0 || inGroup.faulty > 0;
    this.#groups.push({
      header: item.header,
      // A group rejected as a whole lists no transactions.
      transactions: groupRefused ? [] : transactions,
      status: statusOf(accepted, item.count, isFaulty, groupRefused),
      declared: Number.isSafeInteger(declared) && declared >= 0 && declared <= 999_999 ? declared : item.count,
      received: item.count,
      accepted,
      errors,
    });
  }

  #takeInterchange(item: WrapperItem): void {
    const groups = this.#groups;
    const interchangeRefused = this.#interchangeRefused;
    const received = this.#received;
    for (const { code, agreedBy } of item.warnings) if (agreedBy === undefined) this.#interchangeCodes.add(code);
    const answer = this.#interchangeAnswer();
    const { header } = item;
    this.#reset();
    // Interchanges of acknowledgements only get no answer, or two systems would answer each other forever.
    const asks = header['acknowledgement_requested'] === '1' && groups.length === 0 && received.all > 0;
    if (groups.length === 0 && received.acknowledgements > 0 && !asks && interchangeRefused === null) return;
    this.#answered += 1;
    if (this.#answered > INTERCHANGES_LIMIT) return;
    // Without an ISA a TA1 has nothing to name: use the group's addresses.
    const hasHeader = header['control_number'] !== undefined;
    const address = hasHeader ? header : (groups[0]?.header ?? {});
    const listed = answer.status === 'R' ? [] : groups;
    if (!hasHeader && listed.length === 0) return;
    this.#answers.push((about) => interchangeText(address, hasHeader ? answer : null, listed, about));
  }

  /** TA1: rejected as a whole, accepted with faults, or accepted. Marks a repeated interchange as a duplicate. */
  #interchangeAnswer(): InterchangeAnswer {
    const interchangeRefused = this.#interchangeRefused;
    const interchangeCodes = this.#interchangeCodes;
    const received = this.#received;
    const strict = this.#strict;
    const codes =
      interchangeRefused === null ? interchangeCodes : new Set([interchangeRefused.code, ...interchangeCodes]);
    const note = [...INTERCHANGE_NOTES].find(([code]) => codes.has(code))?.[1];
    if (interchangeRefused !== null) return { status: 'R', note: note ?? '024' };
    const repeats = received.events > 0 && received.duplicates === received.events;
    if (repeats) return { status: strict ? 'R' : 'E', note: DUPLICATE_NOTE };
    return note === undefined ? { status: 'A', note: '000' } : { status: 'E', note };
  }

  #reset(): void {
    this.#groups = [];
    this.#transaction = this.#nextFaults();
    this.#transactions = [];
    this.#inGroup = { accepted: 0, faulty: 0 };
    this.#received = { all: 0, duplicates: 0, events: 0, acknowledgements: 0 };
    this.#interchangeRefused = null;
    this.#interchangeCodes = new Set();
  }
}

/** AK901. */
function statusOf(accepted: number, received: number, isFaulty: boolean, isRefused: boolean): GroupAnswer['status'] {
  if (isRefused || (accepted === 0 && received > 0)) return 'R';
  if (accepted < received) return 'P';
  return isFaulty ? 'E' : 'A';
}
