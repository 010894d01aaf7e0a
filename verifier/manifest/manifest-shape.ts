import { count, fail, hash, instant, list, object, oneOf, orNull, type Read, text, zonedTime } from './members.js';

// The form of manifest.json (evidence.md section 5). The events are read apart (manifest-text.ts).

const SCOPE_IDS = { MEMBER: 'member_id', MATTER: 'matter_id', INCIDENT: 'incident_id' } as const;

const readScope = object(
  { tenant_id: text, member_ids: list(text) },
  { member_id: text, matter_id: text, incident_id: text, from: zonedTime, to: zonedTime },
);

const readConsent: Read<ManifestConsent> = (at, value) => {
  const withheld = list(object({ reason: text, events: count, documents: count }));
  const consent = object({ purpose: text, withheld })(at, value);
  const reasons = new Set(consent.withheld.map(({ reason }) => reason));
  return reasons.size < consent.withheld.length ? fail(`${at}/withheld`) : consent;
};

/** Events and documents that member consent excludes from a bundle with a purpose. */
export interface ManifestConsent {
  readonly purpose: string;
  readonly withheld: readonly { readonly reason: string; readonly events: number; readonly documents: number }[];
}

export interface ManifestFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

const readDocument = object(
  {
    document_id: text,
    sha256: orNull(hash),
    size: count,
    media_type: text,
    referenced_by: list(text),
    state: oneOf('INCLUDED', 'REDACTED', 'QUARANTINED', 'DISPOSED'),
  },
  { filename: text, source_system: text, member_ids: list(text), effective_at: zonedTime, created_at: instant },
);
export type ManifestDocument = ReturnType<typeof readDocument>;

/** A log of the state map that the scope rests on; proofs/logs.tsv lists its leaves. */
const readLog = object(
  { kind: oneOf('member-log', 'matter-log', 'incident-log'), id: text, count, root: hash },
  { member_id: text },
);
export type ManifestLog = ReturnType<typeof readLog>;

const REQUIRED = {
  schema: oneOf('eas.bundle-manifest/v2'),
  bundle_id: text,
  bundle_type: oneOf('MEMBER', 'MATTER', 'INCIDENT'),
  requested_by: text,
  requested_at: instant,
  sealed_at: instant,
  scope: readScope,
  generator: object({ name: text, version: text }),
  counts: object({ events: count, documents: count, redacted: count, disposed: count, quarantined: count }),
  documents: list(readDocument),
  files: list(object({ path: text, size: count, sha256: hash })),
  worm_head_hash: hash,
  ledger: object({
    origin: text,
    incarnation: count,
    tree_size: count,
    root_hash: hash,
    heads: list(object({ source_system: text, seq: count, hash })),
  }),
  holds: list(object({ hold_id: text, name: text, status: text, events: count, documents: count })),
  redactions: list(object({ redaction_id: text, kind: oneOf('EVENT', 'DOCUMENT'), id: text })),
  regenerated_from: orNull(text),
  content_digest: hash,
  signing_key_id: text,
  signing_public_key_jwk: object({ kty: oneOf('OKP'), crv: oneOf('Ed25519'), x: text }),
  signature: text,
};

/** Members of some bundles only. */
const OPTIONAL = {
  consent: readConsent,
  anchoring: object({
    anchors: list(
      object({
        kind: oneOf('WITNESS', 'TIME_STAMP', 'SIGNER', 'FOLDER'),
        name: orNull(text),
        tree_size: count,
        at: instant,
      }),
    ),
    unanchored: object({ since_size: count, since: orNull(instant) }),
  }),
  map: object({ tree_size: count, root: hash }),
  logs: list(readLog),
};

const readMembers = object(REQUIRED, OPTIONAL);
export type ManifestHead = ReturnType<typeof readMembers> & { readonly tenant_id: string };

/** @throws ShapeFault */
export function readHead(members: Readonly<Record<string, unknown>>): ManifestHead {
  const head = readMembers('', members);
  const { bundle_type, scope } = head;
  for (const [type, name] of Object.entries(SCOPE_IDS)) {
    if ((scope[name] !== undefined) !== (type === bundle_type)) fail(`scope/${name}`);
  }
  return { ...head, tenant_id: scope.tenant_id };
}
