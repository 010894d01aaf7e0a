// Which revision of a rule is in force at a moment: exactly one, or none.
//
// A revision is in force from `effective_from` until `effective_to`; where it names no end, until another revision begins. A
// later revision that begins at the same moment corrects the earlier one and stands in its place. One that would begin
// within, or reach into, another's stated period is refused: two answers to one question would be in force at once.

/** What of a revision decides when it is in force. */
export interface Dated {
  readonly revision: number;
  readonly effective_from: Date;
  readonly effective_to: Date | null;
}

/** `from` ≤ t < `to`. */
export interface Period {
  readonly revision: number;
  readonly from: Date;
  readonly to: Date | null;
}

/** The periods of all revisions, by time; null where two of them would be in force at once. */
export function periodsOf(revisions: readonly Dated[]): readonly Period[] | null {
  const standing = new Map<number, Dated>();
  for (const dated of [...revisions].sort((a, b) => a.revision - b.revision)) {
    standing.set(dated.effective_from.getTime(), dated);
  }
  const byTime = [...standing.values()].sort((a, b) => a.effective_from.getTime() - b.effective_from.getTime());
  const periods: Period[] = [];
  for (const [i, { revision, effective_from: from, effective_to }] of byTime.entries()) {
    const next = byTime[i + 1]?.effective_from ?? null;
    if (effective_to !== null && next !== null && effective_to > next) return null;
    periods.push({ revision, from, to: effective_to ?? next });
  }
  return periods;
}

/** Number of the revision in force at that moment. */
export function revisionAt(periods: readonly Period[], at: Date): number | null {
  const found = periods.find(({ from, to }) => from <= at && (to === null || at < to));
  return found?.revision ?? null;
}
