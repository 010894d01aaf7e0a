import type { PlacedEntry } from '../../shared/zip/sealed-entries.js';
import type { EntryReader } from '../archive/entry-reader.js';
import type { ManifestFile } from '../manifest/manifest-shape.js';
import type { ManifestText } from '../manifest/manifest-text.js';
import type { Platform, Source } from '../platform.js';
import type { Findings } from '../report.js';

/** Trusted keys, checkpoints and time stamps that the caller has in addition to the bundle. */
export interface VerifyOptions {
  /** RFC 7638 thumbprints of trusted bundle keys. */
  readonly keys?: readonly string[];
  /** A JSON Web Key Set from `GET /v1/signing-keys/jwks`: trusted keys with their history. */
  readonly keySet?: string;
  /** The text of a signed checkpoint that the caller kept. */
  readonly checkpoint?: string;
  /** Verifier keys of checkpoints, `name+id+key` (C2SP signed-note). */
  readonly checkpointKeys?: readonly string[];
  /** Consistency proof between the kept checkpoint's tree and the bundle's tree: base64 hashes, one per line. */
  readonly consistency?: string;
  /** An RFC 3161 token, or the response that holds it. */
  readonly timestamp?: Uint8Array;
  /** Certificates (PEM) of trusted time-stamp authorities. */
  readonly timestampAuthorities?: Uint8Array;
  /** The bundle that the caller asked for, with the scope of its request. */
  readonly expected?: { readonly bundle_id: string; readonly scope: object };
}

export interface Context {
  readonly platform: Platform;
  readonly source: Source;
  readonly findings: Findings;
  readonly options: VerifyOptions;
}

/** The context of the checks that need a readable manifest. */
export interface BundleContext extends Context {
  readonly manifest: ManifestText;
  readonly manifestBytes: Uint8Array;
  readonly entries: ReadonlyMap<string, PlacedEntry>;
  /** The manifest's files by path. */
  readonly listed: ReadonlyMap<string, ManifestFile>;
  readonly profile: 'full' | 'minimal';
  /** Opens an entry, or returns undefined if it is missing. Its digest is compared after the last byte is read. */
  open(path: string): EntryReader | undefined;
}
