import { type EventKey, valuesOfKeys } from '../../../../shared/event-keys/event-keys.js';
import { monthOf } from './window.js';

/** An event and its exact keys, without those that a redaction hides. */
export interface Keyed {
  readonly event_id: string;
  readonly effective_at: Date;
  readonly keys: readonly EventKey[];
}

/** A denial and the appeals of its claims. */
export interface AppealedDenial<E extends Keyed> {
  readonly denial: E;
  readonly appeals: readonly E[];
  /** An appeal has the outcome OVERTURNED. */
  readonly overturned: boolean;
}

const OVERTURNED: EventKey = 'outcome:overturned';

/** Joins denials with appeals that name the same claim. Appeals are in order of time. */
export function joinAppeals<E extends Keyed>(denials: readonly E[], appeals: readonly E[]): AppealedDenial<E>[] {
  const byClaim = new Map<string, E[]>();
  for (const appeal of appeals) {
    for (const claim of valuesOfKeys(appeal.keys, 'claim')) {
      const known = byClaim.get(claim);
      if (known) known.push(appeal);
      else byClaim.set(claim, [appeal]);
    }
  }
  return denials.map((denial) => {
    const found = new Set(valuesOfKeys(denial.keys, 'claim').flatMap((claim) => byClaim.get(claim) ?? []));
    const own = [...found].sort((a, b) => a.effective_at.getTime() - b.effective_at.getTime());
    return { denial, appeals: own, overturned: own.some(({ keys }) => keys.includes(OVERTURNED)) };
  });
}

/** Counts of denials with the same provider, reason, program and month; null where the event names none. */
export interface DenialGroup {
  readonly provider: string | null;
  readonly code: string | null;
  readonly program: string | null;
  readonly month: string;
  readonly denials: number;
  readonly appealed: number;
  readonly overturned: number;
  /** Share of the appealed denials that were overturned; null if none was appealed. */
  readonly overturn_rate: number | null;
}

type Cell = Omit<DenialGroup, 'overturn_rate'>;

const orNone = (values: readonly string[]): readonly (string | null)[] => (values.length === 0 ? [null] : values);
const DECIMALS = 1e4;

/** Groups denials, the largest group first. A denial with two codes or providers is in the group of each. */
export function groupDenials(denials: readonly AppealedDenial<Keyed>[]): DenialGroup[] {
  const cells = new Map<string, Cell>();
  for (const { denial, appeals, overturned } of denials) {
    const month = monthOf(denial.effective_at);
    const [program = null] = valuesOfKeys(denial.keys, 'program');
    for (const provider of orNone(valuesOfKeys(denial.keys, 'npi'))) {
      for (const code of orNone(valuesOfKeys(denial.keys, 'carc'))) {
        const key = JSON.stringify([provider, code, program, month]);
        const known = cells.get(key) ?? { provider, code, program, month, denials: 0, appealed: 0, overturned: 0 };
        cells.set(key, {
          ...known,
          denials: known.denials + 1,
          appealed: known.appealed + (appeals.length > 0 ? 1 : 0),
          overturned: known.overturned + (overturned ? 1 : 0),
        });
      }
    }
  }
  return [...cells]
    .sort(([keyA, a], [keyB, b]) => b.denials - a.denials || (keyA < keyB ? -1 : 1))
    .map(([, cell]) => ({
      ...cell,
      overturn_rate: cell.appealed === 0 ? null : Math.round((cell.overturned / cell.appealed) * DECIMALS) / DECIMALS,
    }));
}
