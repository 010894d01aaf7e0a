import { isHash } from '../text/bytes.js';

// The form of manifest.json (evidence.md section 5), as far as it is relied on. Members that are not known are let be: they
// are under the signature and mean nothing here.

export const MANIFEST_SCHEMA = 'eas.bundle-manifest/v1';

/** A member of the manifest that is missing or has another form; the message names it. */
export class ShapeFault extends Error {}

export interface ManifestFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

export interface ManifestDocument {
  readonly document_id: string;
  readonly sha256: string | null;
  readonly size: number;
  readonly referenced_by: readonly string[];
  readonly state: string;
}

export interface PublicJwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
}

/** What the consent of members keeps out of a bundle that was made for a purpose. */
export interface ManifestConsent {
  readonly purpose: string;
  readonly withheld: readonly { readonly reason: string; readonly events: number; readonly documents: number }[];
}

export interface ManifestHead {
  readonly bundle_id: string;
  readonly bundle_type: string;
  readonly sealed_at: string;
  readonly tenant_id: string;
  readonly counts: Readonly<Record<string, number>>;
  /** Absent where no purpose was stated. */
  readonly consent?: ManifestConsent;
  readonly documents: readonly ManifestDocument[];
  readonly files: readonly ManifestFile[];
  readonly worm_head_hash: string;
  readonly ledger: {
    readonly origin: string;
    readonly incarnation: number;
    readonly tree_size: number;
    readonly root_hash: string;
    readonly heads: readonly { readonly source_system: string; readonly seq: number; readonly hash: string }[];
  };
  readonly redactions: readonly { readonly redaction_id: string; readonly id: string }[];
  readonly content_digest: string;
  readonly signing_key_id: string;
  readonly signing_public_key_jwk: PublicJwk;
  readonly signature: string;
}

type Members = Readonly<Record<string, unknown>>;

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const isInstant = (text: unknown): text is string => typeof text === 'string' && INSTANT.test(text);
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (at: string, value: unknown): string => (typeof value === 'string' ? value : fail(at));
const hash = (at: string, value: unknown): string => (isHash(value) ? value : fail(at));
const count = (at: string, value: unknown): number => (isCount(value) ? value : fail(at));
const object = (at: string, value: unknown): Members => (isObject(value) ? value : fail(at));

function fail(at: string): never {
  throw new ShapeFault(at);
}

function list<T>(at: string, value: unknown, item: (at: string, value: unknown) => T): T[] {
  return Array.isArray(value) ? value.map((one, i) => item(`${at}/${i}`, one)) : fail(at);
}

const COUNTS = ['events', 'documents', 'redacted', 'disposed', 'quarantined'] as const;

/** @throws ShapeFault */
export function readHead(members: Members): ManifestHead {
  if (members['schema'] !== MANIFEST_SCHEMA) fail('schema');
  const counts = object('counts', members['counts']);
  return {
    bundle_id: text('bundle_id', members['bundle_id']),
    bundle_type: text('bundle_type', members['bundle_type']),
    sealed_at: isInstant(members['sealed_at']) ? members['sealed_at'] : fail('sealed_at'),
    tenant_id: text('scope/tenant_id', object('scope', members['scope'])['tenant_id']),
    counts: Object.fromEntries(COUNTS.map((name) => [name, count(`counts/${name}`, counts[name])])),
    ...(members['consent'] === undefined ? {} : { consent: readConsent(members['consent']) }),
    documents: list('documents', members['documents'], readDocument),
    files: list('files', members['files'], readFile),
    worm_head_hash: hash('worm_head_hash', members['worm_head_hash']),
    ledger: readLedger(members['ledger']),
    redactions: list('redactions', members['redactions'], (at, value) => ({
      redaction_id: text(`${at}/redaction_id`, object(at, value)['redaction_id']),
      id: text(`${at}/id`, object(at, value)['id']),
    })),
    content_digest: hash('content_digest', members['content_digest']),
    signing_key_id: text('signing_key_id', members['signing_key_id']),
    signing_public_key_jwk: readJwk(members['signing_public_key_jwk']),
    signature: text('signature', members['signature']),
  };
}

function readConsent(value: unknown): ManifestConsent {
  const members = object('consent', value);
  const withheld = list('consent/withheld', members['withheld'], (at, one) => ({
    reason: text(`${at}/reason`, object(at, one)['reason']),
    events: count(`${at}/events`, object(at, one)['events']),
    documents: count(`${at}/documents`, object(at, one)['documents']),
  }));
  if (new Set(withheld.map(({ reason }) => reason)).size < withheld.length) fail('consent/withheld');
  return { purpose: text('consent/purpose', members['purpose']), withheld };
}

function readDocument(at: string, value: unknown): ManifestDocument {
  const members = object(at, value);
  const sha256 = members['sha256'];
  return {
    document_id: text(`${at}/document_id`, members['document_id']),
    sha256: sha256 === null ? null : hash(`${at}/sha256`, sha256),
    size: count(`${at}/size`, members['size']),
    referenced_by: list(`${at}/referenced_by`, members['referenced_by'], text),
    state: text(`${at}/state`, members['state']),
  };
}

function readFile(at: string, value: unknown): ManifestFile {
  const members = object(at, value);
  return {
    path: text(`${at}/path`, members['path']),
    size: count(`${at}/size`, members['size']),
    sha256: hash(`${at}/sha256`, members['sha256']),
  };
}

function readLedger(value: unknown): ManifestHead['ledger'] {
  const members = object('ledger', value);
  return {
    origin: text('ledger/origin', members['origin']),
    incarnation: count('ledger/incarnation', members['incarnation']),
    tree_size: count('ledger/tree_size', members['tree_size']),
    root_hash: hash('ledger/root_hash', members['root_hash']),
    heads: list('ledger/heads', members['heads'], (at, head) => ({
      source_system: text(`${at}/source_system`, object(at, head)['source_system']),
      seq: count(`${at}/seq`, object(at, head)['seq']),
      hash: hash(`${at}/hash`, object(at, head)['hash']),
    })),
  };
}

function readJwk(value: unknown): PublicJwk {
  const { kty, crv, x } = object('signing_public_key_jwk', value);
  if (kty !== 'OKP' || crv !== 'Ed25519') fail('signing_public_key_jwk');
  return { kty, crv, x: text('signing_public_key_jwk/x', x) };
}
