import { type FieldFault, fault } from '../../../../shared/errors/problem.js';
import {
  CODE_PREFIXES,
  codeSystemPrefix,
  type EventKey,
  familyKey,
  isKeyFault,
  memberKey,
  outcomeKey,
  parseKeyFilter,
} from '../../../../shared/event-keys/event-keys.js';
import { centsOf } from '../../../../shared/event-keys/stated-amounts.js';
import { timeArgument } from '../../../../shared/time/time-argument.js';
import type { Condition } from './condition.js';

/** Values of one member of an event. */
interface ValueAsked {
  readonly is?: string | null;
  readonly in?: readonly string[] | null;
  readonly exists?: boolean | null;
}

interface CodeAsked extends ValueAsked {
  readonly system?: string | null;
}

interface TimeAsked {
  readonly from?: string | null;
  readonly to?: string | null;
}

interface AmountAsked {
  readonly at_least?: string | null;
  readonly less_than?: string | null;
  readonly exists?: boolean | null;
}

/** The filter of events as callers write it; all members must hold. */
export interface FilterAsked {
  readonly and?: readonly FilterAsked[] | null;
  readonly or?: readonly FilterAsked[] | null;
  readonly not?: FilterAsked | null;
  readonly member_id?: ValueAsked | null;
  readonly claim?: ValueAsked | null;
  readonly provider?: ValueAsked | null;
  readonly code?: CodeAsked | null;
  readonly jurisdiction?: ValueAsked | null;
  readonly program?: ValueAsked | null;
  readonly outcome?: ValueAsked | null;
  readonly event_family?: ValueAsked | null;
  readonly event_type?: ValueAsked | null;
  readonly source_system?: ValueAsked | null;
  readonly effective_at?: TimeAsked | null;
  readonly charge?: AmountAsked | null;
  readonly paid?: AmountAsked | null;
}

const MAX_DEPTH = 5;
/** Conditions and values of lists: each value can be a range of the index. */
const MAX_CONDITIONS = 100;

interface KeyMember {
  readonly name: 'member_id' | 'claim' | 'provider' | 'jurisdiction' | 'program' | 'outcome' | 'event_family';
  readonly prefix: string;
  readonly keyOf: (text: string) => ReturnType<typeof parseKeyFilter>;
}

const EMPTY = { code: 'empty', message: 'Must not be empty.' };
const notEmpty = (make: (text: string) => EventKey) => (text: string) => (text.trim() === '' ? EMPTY : make(text));

/** Members that are keys, from those with the rarest values on: the first one leads the index. */
const KEY_MEMBERS: readonly KeyMember[] = [
  { name: 'member_id', prefix: 'member:', keyOf: notEmpty(memberKey) },
  { name: 'claim', prefix: 'claim:', keyOf: (text) => parseKeyFilter('claim', text) },
  { name: 'provider', prefix: 'npi:', keyOf: (text) => parseKeyFilter('provider', text) },
  { name: 'jurisdiction', prefix: 'jurisdiction:', keyOf: (text) => parseKeyFilter('jurisdiction', text) },
  { name: 'program', prefix: 'program:', keyOf: (text) => parseKeyFilter('program', text) },
  { name: 'outcome', prefix: 'outcome:', keyOf: notEmpty(outcomeKey) },
  { name: 'event_family', prefix: 'family:', keyOf: notEmpty(familyKey) },
];
/** Codes are rarer than jurisdictions, and more frequent than providers. */
const CODE_RANK = KEY_MEMBERS.findIndex(({ name }) => name === 'provider') + 0.5;

/**
 * Parses a filter.
 *
 * @param faults receives a fault with the pointer of each wrong value
 */
export function conditionOf(asked: FilterAsked, faults: FieldFault[]): Condition {
  return new FilterParser(faults).parse(asked, '/filter', 1);
}

class FilterParser {
  readonly #faults: FieldFault[];
  #conditions = 0;

  constructor(faults: FieldFault[]) {
    this.#faults = faults;
  }

  parse(asked: FilterAsked, path: string, depth: number): Condition {
    if (depth > MAX_DEPTH) return this.#refuse(path, 'depth', `Must not be nested more than ${MAX_DEPTH} deep.`);
    const of = [...this.#ownOf(asked, path), ...this.#nestedOf(asked, path, depth)];
    this.#conditions += of.length;
    if (this.#conditions > MAX_CONDITIONS)
      return this.#refuse(path, 'size', `Must not have more than ${MAX_CONDITIONS} conditions and values.`);
    return { kind: 'all', of };
  }

  #nestedOf({ and, or, not }: FilterAsked, path: string, depth: number): Condition[] {
    const each = (list: readonly FilterAsked[], name: string): Condition[] =>
      list.map((one, i) => this.parse(one, `${path}/${name}/${i}`, depth + 1));
    return [
      ...each(and ?? [], 'and'),
      ...(or == null ? [] : [{ kind: 'any' as const, of: each(or, 'or') }]),
      ...(not == null ? [] : [{ kind: 'not' as const, of: this.parse(not, `${path}/not`, depth + 1) }]),
    ];
  }

  #ownOf(asked: FilterAsked, path: string): Condition[] {
    const keyed = KEY_MEMBERS.flatMap(({ name, prefix, keyOf }, rank) => {
      const own = asked[name];
      return own == null ? [] : this.#valuesOf(own, `${path}/${name}`, { keyOf, prefixes: [prefix], rank });
    });
    const { code, event_type, source_system, effective_at, charge, paid } = asked;
    return [
      ...keyed,
      ...(code == null ? [] : this.#codeOf(code, `${path}/code`)),
      ...(event_type == null ? [] : [this.#textsOf('type', event_type, `${path}/event_type`)]),
      ...(source_system == null ? [] : [this.#textsOf('source', source_system, `${path}/source_system`)]),
      ...(effective_at == null ? [] : [this.#timeOf(effective_at, `${path}/effective_at`)]),
      ...(charge == null ? [] : [this.#amountOf('charge_cents', charge, `${path}/charge`)]),
      ...(paid == null ? [] : [this.#amountOf('paid_cents', paid, `${path}/paid`)]),
    ];
  }

  #valuesOf(
    asked: ValueAsked,
    path: string,
    {
      keyOf,
      prefixes,
      rank,
    }: Pick<KeyMember, 'keyOf'> & { readonly prefixes: readonly string[]; readonly rank: number },
  ): Condition[] {
    const sets = this.#setsOf(asked, path).map((texts): Condition => {
      const keys = texts.flatMap(({ text, at }) => {
        const parsed = keyOf(text);
        if (!isKeyFault(parsed)) return [parsed];
        this.#faults.push(fault(at, parsed.code, parsed.message));
        return [];
      });
      return { kind: 'key', keys, rank };
    });
    return [...sets, ...this.#existsOf(asked.exists, { kind: 'prefix', prefixes })];
  }

  #codeOf(asked: CodeAsked, path: string): Condition[] {
    const found = this.#valuesOf(asked, path, {
      keyOf: (text) => parseKeyFilter('code', text),
      prefixes: CODE_PREFIXES,
      rank: CODE_RANK,
    });
    if (asked.system == null) return found;
    const prefix = codeSystemPrefix(asked.system);
    if (prefix === undefined) return [this.#refuse(`${path}/system`, 'code_system', 'Must be a known code system.')];
    return [...found, { kind: 'prefix', prefixes: [prefix] }];
  }

  #textsOf(kind: 'type' | 'source', asked: ValueAsked, path: string): Condition {
    const sets = this.#setsOf(asked, path).map((texts): Condition => {
      const values = texts.map(({ text }) => (kind === 'type' ? text.toLowerCase() : text));
      return { kind, values };
    });
    // Every event has a type and a source system.
    const exists = asked.exists === false ? [{ kind: 'any' as const, of: [] }] : [];
    return { kind: 'all', of: [...sets, ...exists] };
  }

  /** The values of `is` and of `in`, with their pointers. */
  #setsOf(asked: ValueAsked, path: string) {
    const { is, in: many } = asked;
    this.#conditions += many?.length ?? 0;
    return [
      ...(is == null ? [] : [[{ text: is, at: `${path}/is` }]]),
      ...(many == null ? [] : [many.map((text, i) => ({ text, at: `${path}/in/${i}` }))]),
    ];
  }

  #existsOf(exists: boolean | null | undefined, one: Condition): Condition[] {
    if (exists == null) return [];
    return [exists ? one : { kind: 'not', of: one }];
  }

  #timeOf({ from, to }: TimeAsked, path: string): Condition {
    const fromMs = timeArgument(`${path}/from`, from, this.#faults);
    const toMs = timeArgument(`${path}/to`, to, this.#faults);
    if (fromMs !== undefined && toMs !== undefined && fromMs > toMs)
      return this.#refuse(`${path}/from`, 'order', 'Must not be later than to.');
    return { kind: 'time', ...(fromMs === undefined ? {} : { fromMs }), ...(toMs === undefined ? {} : { toMs }) };
  }

  #amountOf(name: 'charge_cents' | 'paid_cents', asked: AmountAsked, path: string): Condition {
    const atLeast = this.#centsOf(asked.at_least, `${path}/at_least`);
    const lessThan = this.#centsOf(asked.less_than, `${path}/less_than`);
    if (atLeast !== undefined && lessThan !== undefined && atLeast >= lessThan)
      return this.#refuse(`${path}/at_least`, 'order', 'Must be less than less_than.');
    const stated: Condition = { kind: 'amount', name };
    const bounded = atLeast !== undefined || lessThan !== undefined;
    const range: Condition = {
      ...stated,
      ...(atLeast === undefined ? {} : { atLeast }),
      ...(lessThan === undefined ? {} : { lessThan }),
    };
    return { kind: 'all', of: [...(bounded ? [range] : []), ...this.#existsOf(asked.exists, stated)] };
  }

  #centsOf(text: string | null | undefined, path: string): number | undefined {
    if (text == null) return undefined;
    const cents = centsOf(text);
    if (cents !== null) return cents;
    this.#faults.push(fault(path, 'format', 'Must be an amount with at most two decimals, for example 1500.00.'));
    return undefined;
  }

  #refuse(path: string, code: string, message: string): Condition {
    this.#faults.push(fault(path, code, message));
    return { kind: 'any', of: [] };
  }
}
