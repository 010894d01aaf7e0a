import { ContentDigest, digestedEventText } from '../../shared/evidence/bundle/content-digest.js';
import * as entries from '../../shared/evidence/bundle/entries.js';
import type {
  ManifestDocument,
  ManifestEvent,
  ManifestScope,
  UnsignedManifest,
} from '../../shared/evidence/bundle/manifest.js';
import { canonicalJson } from '../../shared/json/canonical.js';

// Texts of a small bundle, made of whole lists; the service writes its bundles piece by piece.

export interface BundleManifest extends UnsignedManifest {
  /** base64url, unpadded, of Ed25519 over JCS(manifest without this member). */
  readonly signature: string;
}

/** The bytes that `signature` signs. */
export const unsignedManifestText = (manifest: UnsignedManifest): string =>
  canonicalJson(JSON.parse(JSON.stringify(manifest)));

/** manifest.json itself. */
export const manifestText = (manifest: UnsignedManifest, signature: Uint8Array): string =>
  unsignedManifestText(signed(manifest, signature));

const signed = (manifest: UnsignedManifest, signature: Uint8Array): BundleManifest => ({
  ...manifest,
  signature: Buffer.from(signature).toString('base64url'),
});

export function contentDigest(
  scope: ManifestScope,
  events: readonly ManifestEvent[],
  documents: readonly ManifestDocument[],
): string {
  const digest = new ContentDigest(scope, documents);
  events.forEach((event, i) => {
    digest.update(`${i === 0 ? '' : ','}${digestedEventText(event)}`);
  });
  return digest.hex();
}

/** Paths before the documents, and paths after them; `minimal` omits the latter. */
const LEADING_PATHS = [entries.MANIFEST_PATH, entries.SIGNATURE_PATH, entries.CHAIN_PATH, entries.EVENTS_PATH];
const TRAILING_PATHS = [
  entries.CHECKPOINT_PATH,
  entries.LEDGER_PATH,
  entries.INCLUSION_PATH,
  entries.FACTS_PATH,
  entries.MAP_PATH,
  entries.LOGS_PATH,
  entries.CERTIFICATE_PATH,
  entries.README_PATH,
  entries.VERIFY_MJS_PATH,
  entries.VERIFY_PY_PATH,
];

/**
 * Returns every path in its place. Documents follow the order of the manifest's list; repeated content appears once, at
 * its first place.
 */
export const entryPaths = (documentHashes: Iterable<string>, profile: entries.BundleProfile): readonly string[] => [
  ...LEADING_PATHS,
  ...[...new Set(documentHashes)].map(entries.documentPath),
  ...(profile === 'minimal' ? [] : TRAILING_PATHS),
];
