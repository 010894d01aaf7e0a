import { compact, unique } from '../x12/compact.js';
import { lineNumberOf } from './claim-parts.js';
import { codeOf, codingsOf } from './codes.js';
import { type Fields, fieldsAt, listAt, numberAt, textAt } from './json.js';
import type { MappingContext } from './mapping-context.js';

/** Adjudications shown of one response; the raw bytes keep all. */
const adjudicationsLimit = 1_000;

/** What X12's code lists say of a reason. */
interface ReasonKind {
  readonly carc: boolean;
  readonly rarc: boolean;
  readonly group: boolean;
}
const reasonKinds = new Map<string, ReasonKind>();
const rememberedLimit = 256;

/** A body names few systems, over and over. */
function kindOf(system: string): ReasonKind {
  const known = reasonKinds.get(system);
  if (known !== undefined) return known;
  const kind = {
    carc: /x12\.org\/codes\/claim-adjustment-reason-codes|\/CARC\b/i.test(system),
    rarc: /remittance-advice-remark-codes|\/RARC\b/i.test(system),
    group: /claim-adjustment-group-codes/i.test(system),
  };
  if (reasonKinds.size >= rememberedLimit) reasonKinds.clear();
  if (system.length <= rememberedLimit) reasonKinds.set(system, kind);
  return kind;
}

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
      for (let at = 0; at < categories.length; at += 1) {
        const code = textAt(categories[at], 'code').toLowerCase();
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
      const group = reasons.find(({ system }) => kindOf(system).group)?.code;
      for (const { code, system } of reasons) {
        const kind = kindOf(system);
        if (kind.rarc) rarc.push(code);
        if (!kind.carc) continue;
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
