export { archiveStore } from './adapters/archive-store.js';
export { ArchiveThread } from './adapters/archive-thread.js';
export { Spools } from './adapters/spool.js';
export type { ArchiveStore, SealedEntry, SpoolFile, SpoolFiles, VerifierFile } from './ports.js';
