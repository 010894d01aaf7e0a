/**
 * Faults of X12 that a plan may agree on with a sender who always makes them (docs/source-feeds.md "Agreed faults"). None
 * of them leaves open which member a claim belongs to: faults that do are never agreed.
 */
export const AGREED_FAULTS = [
  'OTHER_SUBSCRIBER_AFTER_LINES',
  'LX_MISSING',
  'SEGMENT_COUNT_MISMATCH',
  'GROUP_COUNT_MISMATCH',
  'INTERCHANGE_COUNT_MISMATCH',
] as const;
export type AgreedFault = (typeof AGREED_FAULTS)[number];

/** The faults of one sender that are agreed on the day of receipt. */
export interface Agreement {
  /** The source feed that lists them. */
  readonly feedId: string;
  readonly faults: ReadonlySet<string>;
}

/** Marks a warning as agreed, so that no acknowledgement repeats it and strict reading does not reject for it. */
export function withAgreement<W extends { readonly code: string; agreedBy?: string }>(
  warning: W,
  agreement: Agreement | null,
): W {
  return agreement?.faults.has(warning.code) ? { ...warning, agreedBy: agreement.feedId } : warning;
}
