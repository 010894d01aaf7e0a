import { Tally } from './adjudications.js';
import { moneyIn } from './amounts.js';
import { type Fields, listAt, textAt } from './json.js';

export type PaymentOutcome =
  | 'paid'
  | 'partially_paid'
  | 'applied_to_member'
  | 'denied'
  | 'pended'
  | 'error'
  | 'unknown';

const paidCategories = ['benefit', 'paidtoprovider', 'payment'] as const;
const memberCategories = ['deductible', 'copay', 'coinsurance', 'memberliability', 'paidbypatient'] as const;

export interface Settled {
  readonly outcome: PaymentOutcome;
  /** Undefined when no amount is told. */
  readonly paid: number | undefined;
  readonly submitted: number | undefined;
}

/**
 * What became of a claim, by its money and the reasons given (as of an 835): the payment, else the totals, else the header's
 * adjudications, else the items'. `outcome` only says how far the processing came.
 */
export function settledOf(resource: Fields): Settled {
  const totals = new Tally();
  totals.take(listAt(resource, 'total'));
  const header = new Tally();
  header.take(listAt(resource, 'adjudication'));
  const items = [...listAt(resource, 'item'), ...listAt(resource, 'addItem')];
  const lines = items.map((item) => {
    const tally = new Tally();
    tally.take(listAt(item, 'adjudication'));
    return tally;
  });
  const all = onceAsked(() => tallyOf(items));
  const paid = moneyIn(fieldsOfPayment(resource), 'amount') ?? paidOf(totals) ?? paidOf(header) ?? paidOf(all());
  const submitted = totals.first('submitted') ?? header.first('submitted') ?? all().first('submitted');
  return { outcome: outcomeOf(resource, { totals, header, lines, all, paid, submitted }), paid, submitted };
}

/** What went to the provider and to the patient; the insurer's benefit where that is all that is told. */
const paidOf = (tally: Tally): number | undefined => tally.first(...paidCategories) ?? tally.first('paidtopatient');

function fieldsOfPayment(resource: Fields): Fields {
  return listAt(resource, 'payment')[0] ?? {};
}

function tallyOf(items: readonly Fields[]): Tally {
  const tally = new Tally();
  for (const item of items) tally.take(listAt(item, 'adjudication'));
  return tally;
}

/** Most responses tell totals, so that nobody asks for the sums of their lines. */
function onceAsked(make: () => Tally): () => Tally {
  let made: Tally | undefined;
  return () => {
    made ??= make();
    return made;
  };
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
  const someDenied = lines.some((line) => line.denied || isUnpaid(line));
  if (paid !== undefined && paid > 0) {
    const partly = header.partiallyPaid || header.denied || someDenied || processing === 'partial';
    return partly ? 'partially_paid' : 'paid';
  }
  if (header.denied || (lines.length > 0 && lines.every((line) => line.denied))) return 'denied';
  if (paid === undefined) {
    if (header.partiallyPaid) return 'partially_paid';
    if (header.statedPaid) return 'paid';
    return someDenied ? 'denied' : 'unknown';
  }
  if (paid < 0 || (submitted ?? 0) === 0) return someDenied ? 'denied' : 'unknown';
  const owed =
    totals.total(...memberCategories) ?? header.total(...memberCategories) ?? all().total(...memberCategories) ?? 0;
  const refused = totals.first('noncovered') ?? all().first('noncovered') ?? 0;
  return owed > 0 && refused === 0 && !someDenied ? 'applied_to_member' : 'denied';
}

/** Charged and told to be paid nothing, without any of it being the member's share. */
function isUnpaid(line: Tally): boolean {
  const paid = paidOf(line);
  const charged = line.first('submitted', 'eligible') ?? 0;
  return (
    paid === 0 &&
    charged > 0 &&
    (line.total(...memberCategories) ?? 0) === 0 &&
    (line.first('paidtopatient') ?? 0) === 0
  );
}
