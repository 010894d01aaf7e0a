import { compact, unique } from '../x12/compact.js';
import { lineNumberOf } from './claim-parts.js';
import { codeOf, codingsOf } from './codes.js';
import { type Fields, fieldsAt, listAt, numberAt, textAt } from './json.js';
import type { MappingContext } from './mapping-context.js';

/** Adjudications shown of one response; the raw bytes keep all. */
const adjudicationsLimit = 1_000;
const carcSystem = /x12\.org\/codes\/claim-adjustment-reason-codes|\/CARC\b/i;
const rarcSystem = /remittance-advice-remark-codes|\/RARC\b/i;
const groupSystem = /claim-adjustment-group-codes/i;
/** Plain numbers; a sender may prefix the group. */
const carcCode = /^(?:(CO|PR|OA|PI|CR)[- ]?)?([A-Z]?\d{1,4})$/i;

/** Money of one level, by the category of its adjudications. */
export class Tally {
  private readonly sums = new Map<string, number>();
  denied = false;
  partiallyPaid = false;
  statedPaid = false;

  take(adjudications: readonly Fields[]): void {
    for (const one of adjudications) {
      const categories = listAt(one, 'category', 'coding');
      const amount = numberAt(one, 'amount', 'value');
      for (const [at, coding] of categories.entries()) {
        const code = textAt(coding, 'code').toLowerCase();
        if (code === 'denied') this.denied = true;
        if (code === 'benefitpaymentstatus') this.takeStatus(fieldsAt(one, 'reason'));
        // A category may be coded twice, by HL7 and by the sender.
        const repeated =
          at > 0 && categories.slice(0, at).some((other) => textAt(other, 'code').toLowerCase() === code);
        if (amount !== undefined && !repeated) this.sums.set(code, (this.sums.get(code) ?? 0) + amount);
      }
    }
  }

  private takeStatus(reason: Fields): void {
    const code = codeOf(reason);
    if (code === 'denied') this.denied = true;
    else if (code === 'partiallypaid') this.partiallyPaid = true;
    else if (code === 'paid') this.statedPaid = true;
  }

  /** The sum of the first category that has one. */
  first(...categories: readonly string[]): number | undefined {
    for (const category of categories) if (this.sums.has(category)) return this.sums.get(category);
    return undefined;
  }

  /** The sum of several; undefined when none was given. */
  total(...categories: readonly string[]): number | undefined {
    const given = categories.filter((category) => this.sums.has(category));
    return given.length === 0 ? undefined : given.reduce((sum, category) => sum + (this.sums.get(category) ?? 0), 0);
  }
}

/** Sets carc, rarc and adjustments: the coded reasons of items, of the header and of errors, with their amounts. */
export function describeAdjustments(resource: Fields, context: MappingContext, payload: Record<string, unknown>): void {
  const carc: string[] = [];
  const rarc: string[] = [];
  const adjustments: Record<string, unknown>[] = [];
  const take = (adjudications: readonly Fields[], level: string, line?: number): void => {
    for (const one of adjudications) {
      // Categories are mostly of money alone; only reasons, or a sender's own categories, are coded by X12.
      if (one['reason'] === undefined && !isCodedByX12(one)) continue;
      const reasons = [...codingsOf(fieldsAt(one, 'reason')), ...codingsOf(fieldsAt(one, 'category'))];
      const group = reasons.find(({ system }) => groupSystem.test(system))?.code;
      for (const { code, system } of reasons) {
        if (rarcSystem.test(system)) rarc.push(code);
        if (!carcSystem.test(system)) continue;
        const found = carcCode.exec(code);
        const reason = found?.[2]?.toUpperCase() ?? code;
        carc.push(reason);
        const amount = context.amounts.money(one['amount']);
        if (adjustments.length < adjudicationsLimit)
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
      if (carcSystem.test(system)) carc.push(code);
      else if (rarcSystem.test(system)) rarc.push(code);
    }
  }
  payload['carc'] = unique(carc).slice(0, 200);
  payload['rarc'] = unique(rarc).slice(0, 200);
  payload['adjustments'] = adjustments;
}

const isCodedByX12 = (one: Fields): boolean =>
  listAt(one, 'category', 'coding').some((coding) => {
    const system = textAt(coding, 'system');
    return carcSystem.test(system) || rarcSystem.test(system);
  });

/** The amounts of each line, by category, beside the lines of the claim. */
export function describeLineAmounts(item: Fields, context: MappingContext): Record<string, unknown> {
  const amounts: Record<string, unknown> = {};
  for (const one of listAt(item, 'adjudication').slice(0, 50)) {
    const category = codeOf(one['category']);
    const amount = context.amounts.money(one['amount']);
    if (category !== '' && amount !== undefined && !Object.hasOwn(amounts, category)) amounts[category] = amount;
  }
  return amounts;
}
