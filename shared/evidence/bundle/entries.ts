// Names of a bundle's entries and their order (evidence.md section 5). Names are fixed or a hash: nothing that a caller
// chose is ever a path.

export const MANIFEST_PATH = 'manifest.json';
export const SIGNATURE_PATH = 'signature.sig';
export const CHAIN_PATH = 'chain.tsv';
export const EVENTS_PATH = 'events.jsonl';
export const CHECKPOINT_PATH = 'proofs/checkpoint.note';
export const LEDGER_PATH = 'proofs/ledger.tsv';
export const INCLUSION_PATH = 'proofs/inclusion.jsonl';
export const CERTIFICATE_PATH = 'certificate/fre-902.txt';
export const README_PATH = 'verify/README.txt';
export const VERIFY_MJS_PATH = 'verify/verify.mjs';
export const VERIFY_PY_PATH = 'verify/verify.py';

export const documentPath = (sha256: string): string => `documents/${sha256}`;

/** What stands before the documents, and after them; `minimal` leaves the latter out. */
export const LEADING_PATHS = [MANIFEST_PATH, SIGNATURE_PATH, CHAIN_PATH, EVENTS_PATH] as const;
export const TRAILING_PATHS = [
  CHECKPOINT_PATH,
  LEDGER_PATH,
  INCLUSION_PATH,
  CERTIFICATE_PATH,
  README_PATH,
  VERIFY_MJS_PATH,
  VERIFY_PY_PATH,
] as const;

export const BUNDLE_PROFILES = ['full', 'minimal'] as const;
export type BundleProfile = (typeof BUNDLE_PROFILES)[number];

/**
 * Every entry in its place. Documents come in the order of the manifest's list, the same content once, where it first
 * stands.
 */
export const entryPaths = (documentHashes: Iterable<string>, profile: BundleProfile): readonly string[] => [
  ...LEADING_PATHS,
  ...[...new Set(documentHashes)].map(documentPath),
  ...(profile === 'minimal' ? [] : TRAILING_PATHS),
];
