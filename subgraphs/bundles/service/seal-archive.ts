import { isoTime } from '../../../shared/clock/clock.js';
import type { ChainSubject } from '../../../shared/contracts/ledger-records.js';
import { jwkThumbprint } from '../../../shared/crypto/ed25519.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { Problem } from '../../../shared/errors/problem.js';
import { ContentDigest } from '../../../shared/evidence/bundle/content-digest.js';
import {
  CERTIFICATE_PATH,
  CHAIN_PATH,
  CHECKPOINT_PATH,
  documentPath,
  EVENTS_PATH,
  INCLUSION_PATH,
  LEDGER_PATH,
  MANIFEST_PATH,
  SIGNATURE_PATH,
} from '../../../shared/evidence/bundle/entries.js';
import {
  type ManifestFile,
  type ManifestHold,
  manifestFrame,
  type UnsignedManifest,
} from '../../../shared/evidence/bundle/manifest.js';
import { documentContents } from '../domain/bundle-documents.js';
import { certificateText } from '../domain/certificate.js';
import { type Build, type BuildDeps, FrozenTooEarly, LeaseLost } from './build-deps.js';
import { ContentsAhead } from './contents-ahead.js';
import { type GatheredDocuments, gatherDocuments, isShownOtherwise } from './gather-documents.js';
import type { ArchiveEntry } from './ports/archive.js';
import type { Seal } from './ports/bundle-store.js';
import type { SpoolFile } from './ports/spools.js';
import { proveOwnEntries } from './prove-own-entries.js';
import { otherEntries, spoolChain } from './spool-chain.js';
import type { SpooledEvents } from './spool-events.js';

type ManifestBody = Omit<UnsignedManifest, 'events'>;

/** Everything after the walk over the events: documents, chain, manifest, signatures, the ZIP in the write-once store. */
export async function sealArchive(deps: BuildDeps, build: Build, events: SpooledEvents): Promise<Seal> {
  const documents = await gatherDocuments(deps, build, events.documents);
  await build.tell('PROOFS', 0, 1);
  const worm = await tenantWorm(deps, build);
  const hashes = documentContents(documents.documents).map(({ sha256 }) => sha256);
  const contents = new ContentsAhead(hashes, (sha256) => worm.readBlob(sha256));
  const entries = await entriesOf(deps, build, events, documents, contents);
  const digest = await contentDigestOf(build, events, documents);
  const body = await manifestBody(deps, build, { events, documents, digest });
  const withCertificate = build.bundle.profile === 'minimal' ? [] : [certificateEntry(body, entries)];
  const all = inPlace(entries, withCertificate);
  const manifest: ManifestBody = { ...body, files: all.map(({ file }) => file) };
  const [text, signature] = await signedManifest(deps, build, manifest, events.manifestEvents);
  const archive: ArchiveEntry[] = [
    { path: MANIFEST_PATH, size: text.length, content: text },
    { path: SIGNATURE_PATH, size: signature.length, content: signature },
    ...all.map(({ file, content }) => ({ path: file.path, size: file.size, content })),
  ];
  const { sha256, sizeBytes } = await store(deps, build, archive)
    .catch((error: unknown) => overtaken(deps, build, documents, error))
    .finally(() => contents.close());
  return {
    worm_blob_sha256: sha256,
    size: sizeBytes,
    event_count: body.counts.events,
    document_count: body.counts.documents,
    signing_key_id: body.signing_key_id,
    sealed_at: body.sealed_at,
    content_digest: digest,
  };
}

interface ListedEntry {
  readonly file: ManifestFile;
  readonly content: ArchiveEntry['content'];
}

/** Every entry but manifest, signature and certificate, in order. */
async function entriesOf(
  deps: BuildDeps,
  build: Build,
  events: SpooledEvents,
  { documents, redactions, holds }: GatheredDocuments,
  contents: ContentsAhead,
): Promise<readonly ListedEntry[]> {
  const subjects: ChainSubject[] = [
    ...documents.map(({ document_id }) => ({ kind: 'DOCUMENT', id: document_id })),
    ...build.frozen.member_ids.map((id) => ({ kind: 'MEMBER', id })),
    ...[...new Set([...events.holds.keys(), ...holds.map(({ hold_id }) => hold_id)])].map((id) => ({
      kind: 'HOLD',
      id,
    })),
  ];
  const redactionIds = redactions.map(({ redaction_id }) => redaction_id);
  const others = await otherEntries(deps, build, subjects, redactionIds);
  const all = new Map([...events.entries, ...others.map((entry) => [entry.tree_index, entry] as const)]);
  const chain = await spoolChain(await build.spools.next(), events.chain, all);
  const listed = documentContents(documents).map(({ sha256, size }, n) => ({
    file: { path: documentPath(sha256), size, sha256 },
    content: () => contents.read(n),
  }));
  const leading = [await spooledEntry(CHAIN_PATH, chain), await spooledEntry(EVENTS_PATH, events.lines), ...listed];
  if (build.bundle.profile === 'minimal') return leading;
  await proveOwnEntries(deps, build, all, events);
  const verifiers = await deps.verifierFiles();
  return [
    ...leading,
    bufferEntry(CHECKPOINT_PATH, Buffer.from(build.frozen.checkpoint.note)),
    await spooledEntry(LEDGER_PATH, events.ledger),
    await spooledEntry(INCLUSION_PATH, events.inclusion),
    ...verifiers.map(({ path, content }) => bufferEntry(path, content)),
  ];
}

async function spooledEntry(path: string, spool: SpoolFile): Promise<ListedEntry> {
  const { size, sha256 } = await spool.finish();
  return { file: { path, size, sha256 }, content: () => spool.read() };
}

const bufferEntry = (path: string, content: Buffer): ListedEntry => ({
  file: { path, size: content.length, sha256: sha256Hex(content) },
  content,
});

const certificateEntry = (body: ManifestBody, entries: readonly ListedEntry[]): ListedEntry => {
  const files = entries.map(({ file }) => file).filter(({ path }) => !path.startsWith(documentPath('')));
  return bufferEntry(CERTIFICATE_PATH, Buffer.from(certificateText({ ...body, files })));
};

/** The certificate stands behind the proofs, before the verifiers. */
function inPlace(entries: readonly ListedEntry[], certificate: readonly ListedEntry[]): readonly ListedEntry[] {
  const at = entries.findIndex(({ file }) => file.path === INCLUSION_PATH) + 1;
  return [...entries.slice(0, at), ...certificate, ...entries.slice(at)];
}

async function contentDigestOf(
  { bundle, frozen }: Build,
  { digested }: SpooledEvents,
  { documents }: GatheredDocuments,
): Promise<string> {
  const digest = new ContentDigest({ ...bundle.scope, member_ids: frozen.member_ids }, documents);
  for await (const part of digested.read()) digest.update(part);
  return digest.hex();
}

interface Parts {
  readonly events: SpooledEvents;
  readonly documents: GatheredDocuments;
  readonly digest: string;
}

async function manifestBody(
  deps: BuildDeps,
  build: Build,
  { events, documents, digest }: Parts,
): Promise<ManifestBody> {
  const { bundle, frozen, tenantId } = build;
  const { origin, incarnation, tree_size, root_hash } = frozen.checkpoint;
  const state = (name: string): number => documents.documents.filter((each) => each.state === name).length;
  return {
    schema: 'eas.bundle-manifest/v1',
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
    documents: documents.documents,
    files: [],
    worm_head_hash: root_hash,
    ledger: { origin, incarnation, tree_size, root_hash, heads: await deps.ledgerRecords.heads(tenantId, tree_size) },
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

/** manifest.json, and the detached signature over its bytes. */
async function signedManifest(
  deps: BuildDeps,
  { frozen }: Build,
  manifest: ManifestBody,
  events: readonly Buffer[],
): Promise<readonly [Buffer, Buffer]> {
  const bytesOf = (signature?: Buffer): Buffer => {
    const { before, after } = manifestFrame(manifest, signature);
    return Buffer.concat([Buffer.from(before), ...events, Buffer.from(after)]);
  };
  try {
    const text = bytesOf(await deps.signingKeys.sign(frozen.key.key_id, bytesOf()));
    return [text, await deps.signingKeys.sign(frozen.key.key_id, text)];
  } catch (error) {
    const isRotated = error instanceof Problem && error.code === 'INVALID_TRANSITION';
    throw isRotated ? new FrozenTooEarly('the key was rotated while the bundle was built') : error;
  }
}

async function store(deps: BuildDeps, build: Build, archive: readonly ArchiveEntry[]) {
  const worm = await tenantWorm(deps, build);
  const total = archive.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  async function* told(): AsyncGenerator<Uint8Array> {
    for await (const chunk of deps.zipOf(archive)) {
      done += chunk.length;
      await build.tell('ARCHIVE', Math.min(done, total), total);
      yield chunk;
    }
  }
  return worm.putBlob(told(), Number.MAX_SAFE_INTEGER);
}

/** A document is marked before its content goes: what is missing then was disposed of, not lost. */
async function overtaken(
  deps: BuildDeps,
  { tenantId }: Build,
  { documents }: GatheredDocuments,
  error: unknown,
): Promise<never> {
  const isMissing = error instanceof Problem && error.code === 'NOT_FOUND';
  if (!isMissing || !(await isShownOtherwise(deps, tenantId, documents))) throw error;
  throw new FrozenTooEarly('a document was disposed of while the bundle was built');
}

async function tenantWorm({ tenants, worm }: BuildDeps, { tenantId }: Pick<Build, 'tenantId'>) {
  const tenant = await tenants.find(tenantId);
  if (!tenant) throw new LeaseLost('the tenant of a bundle is unknown');
  return worm.forTenant({ tenantId, logId: tenant.log_id });
}
