import { compact, unique } from '../../values/payload.js';
import { type Fields, fieldsAt, listAt, numberAt, textAt, textsAt } from '../json/objects.js';
import { lineNumberOf } from './claim-parts.js';
import { codeOf, codingsOf } from './codes.js';
import { type MappingContext, moneyIn } from './context.js';

/** The most adjudications in one payload; the raw bytes contain all. */
const ADJUDICATIONS_LIMIT = 1_000;

/** The X12 code lists of a reason. */
interface ReasonKind {
  readonly carc: boolean;
  readonly rarc: boolean;
  readonly group: boolean;
}
const REASON_KINDS = new Map<string, ReasonKind>();
const REMEMBERED_LIMIT = 256;

/** Cached, because a body repeats few systems. */
function kindOf(system: string): ReasonKind {
  const known = REASON_KINDS.get(system);
  if (known !== undefined) return known;
  const kind = {
    carc: /x12\.org\/codes\/claim-adjustment-reason-codes|\/CARC\b/i.test(system),
    rarc: /remittance-advice-remark-codes|\/RARC\b/i.test(system),
    group: /claim-adjustment-group-codes/i.test(system),
  };
  if (REASON_KINDS.size >= REMEMBERED_LIMIT) REASON_KINDS.clear();
  if (system.length <= REMEMBERED_LIMIT) REASON_KINDS.set(system, kind);
  return kind;
}

/** Plain numbers, optionally with the group as a prefix. */
const CARC_CODE = /^(?:(CO|PR|OA|PI|CR)[- ]?)?([A-Z]?\d{1,4})$/i;

/** Sums the money of one level by the category of its adjudications. */
class Tally {
  readonly #sums = new Map<string, number>();
  denied = false;
  partiallyPaid = false;
  statedPaid = false;

  take(adjudications: readonly Fields[]): void {
    for (const one of adjudications) {
      const categories = listAt(one, 'category', 'coding');
      const amount = numberAt(one, 'amount', 'value');
      for (let at = 0; at < categories.length; at += 1) {
        const code = textAt(categories[at], 'code').toLowerCase();
        if (code === 'denied' || code === 'denialreason') this.denied = true;
        if (code === 'benefitpaymentstatus') this.#takeStatus(fieldsAt(one, 'reason'));
        // HL7 and the sender may code a category twice.
        const repeated =
          at > 0 && categories.slice(0, at).some((other) => textAt(other, 'code').toLowerCase() === code);
        if (amount !== undefined && !repeated) this.#sums.set(code, (this.#sums.get(code) ?? 0) + amount);
      }
    }
  }

  #takeStatus(reason: Fields): void {
    const status = paymentStatusOf(reason);
    if (status === 'denied') this.denied = true;
    else if (status === 'partially_paid') this.partiallyPaid = true;
    else if (status === 'paid') this.statedPaid = true;
  }

  /** The sum of the first category that has one. */
  first(...categories: readonly string[]): number | undefined {
    for (const category of categories) if (this.#sums.has(category)) return this.#sums.get(category);
    return undefined;
  }

  /** The sum of several categories; undefined if none has one. */
  total(...categories: readonly string[]): number | undefined {
    const given = categories.filter((category) => this.#sums.has(category));
    return given.length === 0 ? undefined : given.reduce((sum, category) => sum + (this.#sums.get(category) ?? 0), 0);
  }
}

/** Sets carc, rarc and adjustments: the coded reasons of items, header and errors, with their amounts. */
export function describeAdjustments(resource: Fields, context: MappingContext, payload: Record<string, unknown>): void {
  const carc: string[] = [];
  const rarc: string[] = [];
  const adjustments: Record<string, unknown>[] = [];
  const take = (adjudications: readonly Fields[], level: string, line?: number): void => {
    for (const one of adjudications) {
      // Most categories are only about money; only reasons and a sender's own categories use X12 codes.
      if (one['reason'] === undefined && !isCodedByX12(one)) continue;
      const reasons = [...codingsOf(fieldsAt(one, 'reason')), ...codingsOf(fieldsAt(one, 'category'))];
      const group = reasons.find(({ system }) => kindOf(system).group)?.code;
      for (const { code, system } of reasons) {
        const kind = kindOf(system);
        if (kind.rarc) rarc.push(code);
        if (!kind.carc) continue;
        const found = CARC_CODE.exec(code);
        const reason = found?.[2]?.toUpperCase() ?? code;
        carc.push(reason);
        const amount = context.amounts.money(one['amount']);
        if (adjustments.length < ADJUDICATIONS_LIMIT)
          adjustments.push(compact({ group: group ?? found?.[1]?.toUpperCase(), reason, amount, level, line }));
      }
    }
  };
  take(listAt(resource, 'adjudication'), 'claim');
  for (const [at, item] of [...listAt(resource, 'item'), ...listAt(resource, 'addItem')].entries())
    for (const element of [item, ...listAt(item, 'detail')])
      take(listAt(element, 'adjudication'), 'line', lineNumberOf(item, at));
  for (const fault of listAt(resource, 'error')) {
    for (const { code, system } of codingsOf(fieldsAt(fault, 'code'))) {
      const kind = kindOf(system);
      if (kind.carc) carc.push(code);
      else if (kind.rarc) rarc.push(code);
    }
  }
  payload['carc'] = unique(carc).slice(0, 200);
  payload['rarc'] = unique(rarc).slice(0, 200);
  payload['adjustments'] = adjustments;
}

function isCodedByX12(one: Fields): boolean {
  for (const coding of listAt(one, 'category', 'coding')) {
    const { carc, rarc } = kindOf(textAt(coding, 'system'));
    if (carc || rarc) return true;
  }
  return false;
}

/** The amounts of a line by category. */
export function describeLineAmounts(item: Fields, context: MappingContext): Record<string, unknown> {
  const amounts: Record<string, unknown> = {};
  for (const one of listAt(item, 'adjudication').slice(0, 50)) {
    const category = codeOf(one['category']);
    const amount = context.amounts.money(one['amount']);
    if (category !== '' && amount !== undefined && !Object.hasOwn(amounts, category)) amounts[category] = amount;
  }
  return amounts;
}

type PaymentOutcome =
  | 'paid'
  | 'recorded'
  | 'partially_paid'
  | 'applied_to_member'
  | 'denied'
  | 'pended'
  | 'error'
  | 'unknown';

const PAID_CATEGORIES = ['benefit', 'paidtoprovider', 'payment'] as const;
/** CARIN's payment status, where the amount is left out. */
const PAYMENT_STATUSES: ReadonlyMap<string, PaymentOutcome> = new Map([
  ['paid', 'paid'],
  ['denied', 'denied'],
  ['partiallypaid', 'partially_paid'],
]);

/** The first payment status of a concept; its other codes name the network. */
function paymentStatusOf(concept: unknown): PaymentOutcome | undefined {
  for (const { code } of codingsOf(concept)) {
    const found = PAYMENT_STATUSES.get(code.toLowerCase().replace(/[ _-]/g, ''));
    if (found !== undefined) return found;
  }
  return undefined;
}

const MEMBER_CATEGORIES = ['deductible', 'copay', 'coinsurance', 'memberliability', 'paidbypatient'] as const;

interface Settled {
  readonly outcome: PaymentOutcome;
  /** Undefined if no amount was sent. */
  readonly paid: number | undefined;
  readonly submitted: number | undefined;
}

/**
 * The outcome of a claim from its money and reasons, as in an 835: the payment, else the totals, else the header's
 * adjudications, else the items'. The field `outcome` only describes the processing.
 */
export function settledOf(resource: Fields): Settled {
  const totals = new Tally();
  totals.take(listAt(resource, 'total'));
  const header = tallyOf([resource]);
  const items = [...listAt(resource, 'item'), ...listAt(resource, 'addItem')];
  const lines = items.map((item) => tallyOf([item]));
  // Computed on first use: most responses have totals.
  let ofItems: Tally | undefined;
  const all = (): Tally => {
    ofItems ??= tallyOf(items);
    return ofItems;
  };
  const stated =
    moneyIn(listAt(resource, 'payment')[0] ?? {}, 'amount') ?? paidOf(totals) ?? paidOf(header) ?? paidOf(all());
  const submitted = totals.first('submitted') ?? header.first('submitted') ?? all().first('submitted');
  // A profile without money may have zeros in its place.
  const paid = stated === 0 && (submitted ?? 0) === 0 && isWithoutMoney(resource) ? undefined : stated;
  return { outcome: outcomeOf(resource, { totals, header, lines, all, paid, submitted }), paid, submitted };
}

/** The amount paid to provider and patient; else the insurer's benefit. */
const paidOf = (tally: Tally): number | undefined => tally.first(...PAID_CATEGORIES) ?? tally.first('paidtopatient');

function tallyOf(items: readonly Fields[]): Tally {
  const tally = new Tally();
  for (const item of items) tally.take(listAt(item, 'adjudication'));
  return tally;
}

interface Money {
  readonly totals: Tally;
  readonly header: Tally;
  readonly lines: readonly Tally[];
  /** Of all lines together. */
  readonly all: () => Tally;
  readonly paid: number | undefined;
  readonly submitted: number | undefined;
}

function outcomeOf(resource: Fields, { totals, header, lines, all, paid, submitted }: Money): PaymentOutcome {
  const processing = textAt(resource, 'outcome');
  if (processing === 'error') return 'error';
  if (processing === 'queued') return 'pended';
  const stated = paymentStatusOf(listAt(resource, 'payment')[0]?.['type']);
  if (stated !== undefined && paid === undefined) return stated;
  const someDenied = lines.some((line) => line.denied || isUnpaid(line));
  if (paid !== undefined && paid > 0) {
    const partly = header.partiallyPaid || header.denied || someDenied || processing === 'partial';
    return partly ? 'partially_paid' : 'paid';
  }
  if (header.denied || (lines.length > 0 && lines.every((line) => line.denied))) return 'denied';
  if (paid === undefined) return statedOutcome(resource, header, lines, someDenied);
  if (paid < 0 || (submitted ?? 0) === 0) return someDenied ? 'denied' : 'unknown';
  const owed =
    totals.total(...MEMBER_CATEGORIES) ?? header.total(...MEMBER_CATEGORIES) ?? all().total(...MEMBER_CATEGORIES) ?? 0;
  const refused = totals.first('noncovered') ?? all().first('noncovered') ?? 0;
  return owed > 0 && refused === 0 && !someDenied ? 'applied_to_member' : 'denied';
}

/** The outcome without an amount: the payment status of the header, else those of the lines. */
function statedOutcome(resource: Fields, header: Tally, lines: readonly Tally[], someDenied: boolean): PaymentOutcome {
  if (header.partiallyPaid || lines.some((line) => line.partiallyPaid)) return 'partially_paid';
  if (header.statedPaid) return someDenied ? 'partially_paid' : 'paid';
  const somePaid = lines.some((line) => line.statedPaid);
  if (somePaid && someDenied) return 'partially_paid';
  if (somePaid && lines.every((line) => line.statedPaid)) return 'paid';
  // CARIN NonFinancial: the claim was processed, and its money is left out on purpose.
  if (isWithoutMoney(resource)) return someDenied ? 'partially_paid' : 'recorded';
  return someDenied ? 'denied' : 'unknown';
}

const isWithoutMoney = (resource: Fields): boolean =>
  textsAt(resource, 'meta', 'profile').some((profile) => /-(?:NonFinancial|Basis)(?:\||$)/i.test(profile));

/** Charged, paid nothing, and without a member share. */
function isUnpaid(line: Tally): boolean {
  const paid = paidOf(line);
  const charged = line.first('submitted', 'eligible') ?? 0;
  return (
    paid === 0 &&
    charged > 0 &&
    (line.total(...MEMBER_CATEGORIES) ?? 0) === 0 &&
    (line.first('paidtopatient') ?? 0) === 0
  );
}
