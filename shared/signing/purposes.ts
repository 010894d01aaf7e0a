/** Uses of signing keys; a key signs for one of them only. */
export const SIGNING_PURPOSES = ['BUNDLE', 'CHECKPOINT', 'SEGMENT'] as const;
export type SigningPurpose = (typeof SIGNING_PURPOSES)[number];
