import type { EntryReader } from '../archive/entry-reader.js';
import type { PlacedEntry } from '../archive/zip-data.js';
import type { ManifestFile } from '../manifest/manifest-shape.js';
import type { ManifestText } from '../manifest/manifest-text.js';
import type { Platform, Source } from '../platform.js';
import type { Findings } from '../report.js';

/** What the person who verifies holds beside the bundle. */
export interface VerifyOptions {
  /** RFC 7638 thumbprints of bundle keys that are trusted. */
  readonly keys?: readonly string[];
  /** A JSON Web Key Set, as `GET /v1/signing-keys/jwks` gives it: keys that are trusted, and what became of them. */
  readonly keySet?: string;
  /** A signed checkpoint kept outside, as text. */
  readonly checkpoint?: string;
  /** Verifier keys of checkpoints, `name+id+key` (C2SP signed-note). */
  readonly checkpointKeys?: readonly string[];
  /** The hashes of a consistency proof between the kept checkpoint's tree and the bundle's, base64, one a line. */
  readonly consistency?: string;
  /** An RFC 3161 token, or the answer that holds it. */
  readonly timestamp?: Uint8Array;
  /** Certificates (PEM) of time-stamp authorities that are trusted. */
  readonly timestampAuthorities?: Uint8Array;
}

export interface Context {
  readonly platform: Platform;
  readonly source: Source;
  readonly findings: Findings;
  readonly options: VerifyOptions;
}

/** From the moment on that the manifest could be read. */
export interface BundleContext extends Context {
  readonly manifest: ManifestText;
  readonly manifestBytes: Uint8Array;
  readonly entries: ReadonlyMap<string, PlacedEntry>;
  /** The manifest's list of files, by path. */
  readonly listed: ReadonlyMap<string, ManifestFile>;
  readonly profile: 'full' | 'minimal';
  /** A reader of an entry, whose digest is compared when everything was read; undefined where there is none. */
  open(path: string): EntryReader | undefined;
}
