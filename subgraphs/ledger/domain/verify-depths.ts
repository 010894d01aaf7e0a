/** `headers`: places, links, hashes and leaves of entries, without records and their copies. */
export const VERIFY_DEPTHS = ['full', 'headers'] as const;
export type VerifyDepth = (typeof VERIFY_DEPTHS)[number];
