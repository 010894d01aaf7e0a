// The names that a bundle's entries may have: fixed ones, and documents named by their hash (evidence.md section 5). So no
// name can leave a folder, hide another or look like another.

export const MANIFEST = 'manifest.json';
export const SIGNATURE = 'signature.sig';
export const CHAIN = 'chain.tsv';
export const EVENTS = 'events.jsonl';
export const CHECKPOINT = 'proofs/checkpoint.note';
export const LEDGER = 'proofs/ledger.tsv';
export const INCLUSION = 'proofs/inclusion.jsonl';

/** What the minimal profile leaves out. */
export const FULL_PROFILE = [
  CHECKPOINT,
  LEDGER,
  INCLUSION,
  'certificate/fre-902.txt',
  'verify/README.txt',
  'verify/verify.mjs',
  'verify/verify.py',
] as const;

const FIXED: ReadonlySet<string> = new Set([MANIFEST, SIGNATURE, CHAIN, EVENTS, ...FULL_PROFILE]);
const DOCUMENT = /^documents\/([0-9a-f]{64})$/;

export const documentHashOf = (name: string): string | undefined => DOCUMENT.exec(name)?.[1];

export const isEntryName = (name: string): boolean => FIXED.has(name) || DOCUMENT.test(name);
