/** What a build goes through. */
export const BUILD_PHASES = ['WAITING', 'FREEZE', 'EVENTS', 'PROOFS', 'DOCUMENTS', 'ARCHIVE', 'DONE'] as const;
export type BuildPhase = (typeof BUILD_PHASES)[number];
