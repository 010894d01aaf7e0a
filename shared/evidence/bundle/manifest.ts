import { canonicalJson } from '../../json/canonical.js';
import type { JsonValue } from '../../json/strict-json.js';

// manifest.json of a bundle (evidence.md section 5), written as RFC 8785. Lists keep the order of the archive.

const MANIFEST_SCHEMA = 'eas.bundle-manifest/v2';

/** What a bundle gathers; each goes with the scope's member of the same name. */
export const BUNDLE_TYPES = ['MEMBER', 'MATTER', 'INCIDENT'] as const;
export type BundleType = (typeof BUNDLE_TYPES)[number];

const EVENT_STATES = ['INCLUDED', 'REDACTED', 'DISPOSED'] as const;
export type BundleEventState = (typeof EVENT_STATES)[number];

/** Only INCLUDED and REDACTED ones have an entry in the archive; a REDACTED one that of its rendition. */
const DOCUMENT_STATES = ['INCLUDED', 'REDACTED', 'QUARANTINED', 'DISPOSED'] as const;
type BundleDocumentState = (typeof DOCUMENT_STATES)[number];

/** The request's scope, and the members that it resolved to (merged ones included). */
export interface ManifestScope {
  readonly tenant_id: string;
  readonly member_id?: string;
  readonly matter_id?: string;
  readonly incident_id?: string;
  /** Half-open window over the effective time. */
  readonly from?: string;
  readonly to?: string;
  readonly member_ids: readonly string[];
}

export interface ManifestEvent {
  readonly event_id: string;
  /** Of the line of events.jsonl, without its LF. */
  readonly sha256: string;
  readonly source_system: string;
  readonly seq: number;
  readonly entry_hash: string;
  readonly tree_index: number;
  readonly state: BundleEventState;
}

export interface ManifestDocument {
  readonly document_id: string;
  /** Of the entry; null where there is none and the plain hash must not stand (DISPOSED). */
  readonly sha256: string | null;
  readonly size: number;
  readonly media_type: string;
  /** Events of the bundle that refer to it. */
  readonly referenced_by: readonly string[];
  readonly state: BundleDocumentState;
  /** Name of the file, or of its rendition. Only documents with an entry have it and the members below. */
  readonly filename?: string;
  readonly source_system?: string;
  /** The members of the scope that the document is about. */
  readonly member_ids?: readonly string[];
  readonly effective_at?: string;
  /** Time of the upload. */
  readonly created_at?: string;
}

export interface ManifestFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

interface ManifestHead {
  readonly source_system: string;
  readonly seq: number;
  readonly hash: string;
}

/** A legal hold that covers something in the bundle, as it stood at the seal. */
export interface ManifestHold {
  readonly hold_id: string;
  readonly name: string;
  readonly status: string;
  readonly events: number;
  readonly documents: number;
}

interface ManifestRedaction {
  readonly redaction_id: string;
  readonly kind: 'EVENT' | 'DOCUMENT';
  readonly id: string;
}

interface ManifestCounts {
  readonly events: number;
  readonly documents: number;
  readonly redacted: number;
  readonly disposed: number;
  readonly quarantined: number;
}

/** What the consent of members keeps out of a bundle that was made for a stated purpose: counts, and nothing that names it. */
export interface ManifestConsent {
  readonly purpose: string;
  /** Each reason once, that a consent denies it before others. */
  readonly withheld: readonly { readonly reason: string; readonly events: number; readonly documents: number }[];
}

/** A log of the state map for the scope; proofs/logs.tsv lists its leaves. */
export interface ManifestLog {
  readonly kind: 'member-log' | 'matter-log' | 'incident-log';
  /** The member_tag, the matter or the incident. */
  readonly id: string;
  readonly member_id?: string;
  readonly count: number;
  readonly root: string;
}

/** What held the ledger to its history when the bundle was frozen, as the service knows it: see GET /v1/ledger/verify. */
export interface ManifestAnchoring {
  readonly anchors: readonly {
    readonly kind: 'WITNESS' | 'TIME_STAMP' | 'SIGNER' | 'FOLDER';
    readonly name: string | null;
    readonly tree_size: number;
    readonly at: string;
  }[];
  /** Entries from here on are under no anchor outside of the operator's machine. */
  readonly unanchored: { readonly since_size: number; readonly since: string | null };
}

/** The part of a manifest that is known before the lists of events and documents are written. */
export interface ManifestHeadline {
  readonly schema: typeof MANIFEST_SCHEMA;
  readonly bundle_id: string;
  readonly bundle_type: BundleType;
  readonly requested_by: string;
  readonly requested_at: string;
  readonly sealed_at: string;
  readonly scope: ManifestScope;
  readonly generator: { readonly name: string; readonly version: string };
  readonly counts: ManifestCounts;
  /** Only of a bundle that was asked for with a purpose. */
  readonly consent?: ManifestConsent;
  readonly files: readonly ManifestFile[];
  /** Root of the checkpoint used; equals ledger.root_hash. */
  readonly worm_head_hash: string;
  readonly ledger: {
    /** `<deployment>/eas/<log id>`; the origin line of the checkpoint adds `/inc-<incarnation>`. */
    readonly origin: string;
    readonly incarnation: number;
    readonly tree_size: number;
    readonly root_hash: string;
    /** Last entry of each chain within tree_size, by source_system. */
    readonly heads: readonly ManifestHead[];
  };
  readonly anchoring?: ManifestAnchoring;
  /** The state map that the last entry under the checkpoint commits to. */
  readonly map?: { readonly tree_size: number; readonly root: string };
  readonly logs?: readonly ManifestLog[];
  readonly holds: readonly ManifestHold[];
  readonly redactions: readonly ManifestRedaction[];
  readonly regenerated_from: string | null;
  readonly content_digest: string;
  /** RFC 7638 thumbprint of the key below. */
  readonly signing_key_id: string;
  readonly signing_public_key_jwk: { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string };
}

export interface UnsignedManifest extends ManifestHeadline {
  readonly events: readonly ManifestEvent[];
  readonly documents: readonly ManifestDocument[];
}

/** An event of the manifest as JCS; several are joined by commas. */
export const manifestEventText = (event: ManifestEvent): string => canonicalJson({ ...event });

/** The text before and after the events' texts: all other members, in the order of JCS. */
interface ManifestFrame {
  readonly before: string;
  readonly after: string;
}

/**
 * The manifest around its events, which are written as they are met: a million of them need not be objects.
 *
 * @param signature left out where the bytes are to be signed.
 */
export function manifestFrame(manifest: Omit<UnsignedManifest, 'events'>, signature?: Uint8Array): ManifestFrame {
  const signed = signature === undefined ? {} : { signature: Buffer.from(signature).toString('base64url') };
  const members: Record<string, unknown> = { ...manifest, ...signed, events: [] };
  // All members of a manifest are JSON; interfaces have no index signature.
  const textOf = (name: string): string => canonicalJson(members[name] as JsonValue);
  const texts = Object.keys(members)
    .sort()
    .map((name) => [name, `${JSON.stringify(name)}:${textOf(name)}`] as const);
  const at = texts.findIndex(([name]) => name === 'events');
  const join = (part: typeof texts): string => part.map(([, text]) => text).join(',');
  return { before: `{${join(texts.slice(0, at))},"events":[`, after: `],${join(texts.slice(at + 1))}}` };
}
