// The names that a bundle's entries may have: fixed names, and documents named by their hash (evidence.md section 5).
// No name can leave a folder, hide another name or look like another name.

export const MANIFEST = 'manifest.json';
export const SIGNATURE = 'signature.sig';
/** Holds the hash of the manifest, so the manifest does not list it. */
export const SEALING = 'proofs/sealing.json';
export const CHAIN = 'chain.tsv';
export const EVENTS = 'events.jsonl';
export const CHECKPOINT = 'proofs/checkpoint.note';
export const LEDGER = 'proofs/ledger.tsv';
export const INCLUSION = 'proofs/inclusion.jsonl';
export const FACTS = 'proofs/facts.jsonl';
export const MAP = 'proofs/map.jsonl';
export const LOGS = 'proofs/logs.tsv';
/** Files of a bundle with a map in its manifest. */
export const MAP_FILES: readonly string[] = [MAP, LOGS];

/** Files that the minimal profile omits. */
export const FULL_PROFILE: readonly string[] = [
  CHECKPOINT,
  LEDGER,
  INCLUSION,
  FACTS,
  'certificate/fre-902.txt',
  'verify/README.txt',
  'verify/verify.mjs',
  'verify/verify.py',
];

const FIXED: ReadonlySet<string> = new Set([
  MANIFEST,
  SIGNATURE,
  SEALING,
  CHAIN,
  EVENTS,
  ...FULL_PROFILE,
  ...MAP_FILES,
]);
const DOCUMENT = /^documents\/([0-9a-f]{64})$/;

export const documentHashOf = (name: string): string | undefined => DOCUMENT.exec(name)?.[1];

export const isEntryName = (name: string): boolean => FIXED.has(name) || DOCUMENT.test(name);
