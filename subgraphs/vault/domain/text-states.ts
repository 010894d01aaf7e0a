/** How far the reading of a content's text has come: READY is found by its words, FAILED and UNSUPPORTED by its record alone. */
export const TEXT_STATUSES = ['PENDING', 'READY', 'FAILED', 'UNSUPPORTED'] as const;
export type TextStatus = (typeof TEXT_STATUSES)[number];
