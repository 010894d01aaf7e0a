import { isoTime } from '../../../shared/clock/clock.js';
import { jwkThumbprint } from '../../../shared/crypto/ed25519.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { Problem } from '../../../shared/errors/problem.js';
import { ContentDigest } from '../../../shared/evidence/bundle/content-digest.js';
import {
  type ManifestHold,
  type ManifestLog,
  manifestFrame,
  type UnsignedManifest,
} from '../../../shared/evidence/bundle/manifest.js';
import { type Build, type BuildDeps, FrozenTooEarly } from './build-deps.js';
import { manifestConsent, type WithheldRecords } from './domain/manifest-records.js';
import type { GatheredDocuments } from './gather-documents.js';
import { provenSealing } from './prove-sealing.js';
import type { SpooledEvents } from './spool-events.js';

export type ManifestBody = Omit<UnsignedManifest, 'events'>;

/** Computes the content_digest of the bundle. */
export async function contentDigestOf(
  { bundle, frozen }: Build,
  { digested }: SpooledEvents,
  { documents }: GatheredDocuments,
): Promise<string> {
  const digest = new ContentDigest({ ...bundle.scope, member_ids: frozen.member_ids }, documents);
  for await (const part of digested.read()) digest.update(part);
  return digest.hex();
}

interface ManifestParts {
  readonly events: SpooledEvents;
  readonly documents: GatheredDocuments;
  readonly digest: string;
  readonly withheld: WithheldRecords;
  readonly logs: readonly ManifestLog[] | null;
}

/** Returns the manifest without its lists of events and files. */
export async function manifestBody(
  deps: BuildDeps,
  build: Build,
  { events, documents, digest, withheld, logs }: ManifestParts,
): Promise<ManifestBody> {
  const { bundle, frozen, tenantId } = build;
  const { origin, incarnation, tree_size, root_hash } = frozen.checkpoint;
  const state = (name: string): number => documents.documents.filter((each) => each.state === name).length;
  return {
    schema: 'eas.bundle-manifest/v2',
    bundle_id: bundle.bundle_id,
    bundle_type: bundle.bundle_type,
    requested_by: bundle.requested_by,
    requested_at: isoTime(bundle.created_at.getTime()),
    sealed_at: frozen.sealed_at,
    scope: { ...bundle.scope, member_ids: frozen.member_ids },
    generator: frozen.generator,
    counts: {
      events: events.counts.events,
      documents: documents.documents.length,
      redacted: events.counts.redacted + state('REDACTED'),
      disposed: events.counts.disposed + state('DISPOSED'),
      quarantined: state('QUARANTINED'),
    },
    ...(bundle.consent ? { consent: manifestConsent(bundle.consent.purpose, withheld) } : {}),
    documents: documents.documents,
    files: [],
    worm_head_hash: root_hash,
    ledger: { origin, incarnation, tree_size, root_hash, heads: await deps.ledgerRecords.heads(tenantId, tree_size) },
    ...(frozen.anchoring ? { anchoring: frozen.anchoring } : {}),
    ...(logs === null ? {} : { map: { tree_size: frozen.map.tree_size, root: frozen.map.root }, logs }),
    holds: await holdsOf(deps, build, events, documents),
    redactions: [
      ...events.redactions.map((redaction) => ({ ...redaction, kind: 'EVENT' as const })),
      ...documents.redactions.map((redaction) => ({ ...redaction, kind: 'DOCUMENT' as const })),
    ],
    regenerated_from: bundle.regenerated_from,
    content_digest: digest,
    signing_key_id: jwkThumbprint(frozen.key.public_key.x),
    signing_public_key_jwk: { kty: 'OKP', crv: 'Ed25519', x: frozen.key.public_key.x },
  };
}

async function holdsOf(
  deps: BuildDeps,
  { inputs, tenantId }: Build,
  events: SpooledEvents,
  documents: GatheredDocuments,
): Promise<readonly ManifestHold[]> {
  const onDocuments = new Map(documents.holds.map(({ hold_id, documents: held }) => [hold_id, held]));
  const ids = [...new Set([...events.holds.keys(), ...onDocuments.keys()])].sort();
  if (ids.length === 0) return [];
  const { facts } = await inputs.kept('HOLDS', 0, async () => ({
    facts: (await deps.holds.facts(tenantId, ids)).map(({ hold_id, name, status }) => ({ hold_id, name, status })),
  }));
  return facts.map((fact) => ({
    ...fact,
    events: events.holds.get(fact.hold_id) ?? 0,
    documents: onDocuments.get(fact.hold_id) ?? 0,
  }));
}

/** The entries of the archive that manifest.files does not list. */
interface SealedManifest {
  readonly text: Buffer;
  readonly signature: Buffer;
  /** proofs/sealing.json; null in the minimal profile. */
  readonly sealing: Buffer | null;
}

/** Commits the manifest by the fact `bundle.sealing`, then signs it. */
export async function signedManifest(
  deps: BuildDeps,
  build: Build,
  manifest: ManifestBody,
  events: readonly Buffer[],
): Promise<SealedManifest> {
  const { key_id } = build.frozen.key;
  const bytesOf = (signature?: Buffer): Buffer => {
    const { before, after } = manifestFrame(manifest, signature);
    return Buffer.concat([Buffer.from(before), ...events, Buffer.from(after)]);
  };
  const unsigned = bytesOf();
  const committed = { content_digest: manifest.content_digest, manifest_sha256: sha256Hex(unsigned) };
  const sealing = await provenSealing(deps, build, committed);
  try {
    const evidence = { purpose: 'BUNDLE', sealing: sealing.toString('utf8') } as const;
    const contained = await deps.signingKeys.sign(key_id, unsigned, evidence);
    const text = bytesOf(contained);
    const whole = { ...evidence, contained: contained.toString('base64url') };
    const signature = await deps.signingKeys.sign(key_id, text, whole);
    return { text, signature, sealing: build.bundle.profile === 'minimal' ? null : sealing };
  } catch (error) {
    const isRotated = error instanceof Problem && error.code === 'INVALID_TRANSITION';
    throw isRotated ? new FrozenTooEarly('the key was rotated while the bundle was built') : error;
  }
}
