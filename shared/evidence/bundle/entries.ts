// Names of a bundle's entries and their order (evidence.md section 5). Names are fixed or a hash: nothing that a caller
// chose is ever a path.

export const MANIFEST_PATH = 'manifest.json';
export const SIGNATURE_PATH = 'signature.sig';
/** Not in manifest.files: it holds the hash of the manifest. */
export const SEALING_PATH = 'proofs/sealing.json';
export const CHAIN_PATH = 'chain.tsv';
export const EVENTS_PATH = 'events.jsonl';
export const CHECKPOINT_PATH = 'proofs/checkpoint.note';
export const LEDGER_PATH = 'proofs/ledger.tsv';
export const INCLUSION_PATH = 'proofs/inclusion.jsonl';
export const FACTS_PATH = 'proofs/facts.jsonl';
export const MAP_PATH = 'proofs/map.jsonl';
export const LOGS_PATH = 'proofs/logs.tsv';
export const CERTIFICATE_PATH = 'certificate/fre-902.txt';
export const README_PATH = 'verify/README.txt';
export const VERIFY_MJS_PATH = 'verify/verify.mjs';
export const VERIFY_PY_PATH = 'verify/verify.py';

export const documentPath = (sha256: string): string => `documents/${sha256}`;

export const BUNDLE_PROFILES = ['full', 'minimal'] as const;
export type BundleProfile = (typeof BUNDLE_PROFILES)[number];
