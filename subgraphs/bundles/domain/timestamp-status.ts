/** Of the work of having a bundle's signature time-stamped: it is tried again until it succeeds or is given up. */
export const TIMESTAMP_STATUSES = ['PENDING', 'OBTAINED', 'GIVEN_UP'] as const;
export type TimestampStatus = (typeof TIMESTAMP_STATUSES)[number];
