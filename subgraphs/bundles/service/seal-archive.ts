import type { ChainEntry } from '../../../shared/contracts/ledger-records.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { Problem } from '../../../shared/errors/problem.js';
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
import type { ManifestFile } from '../../../shared/evidence/bundle/manifest.js';
import { documentContents } from '../domain/bundle-documents.js';
import { certificateText } from '../domain/certificate.js';
import { type WithheldRecords, withheldIn } from '../domain/withheld-records.js';
import { type Build, type BuildDeps, FrozenTooEarly, LeaseLost } from './build-deps.js';
import { gatherActs } from './gather-acts.js';
import { type GatheredDocuments, gatherDocuments, isShownOtherwise } from './gather-documents.js';
import type { SealedEntry } from './ports/archive.js';
import type { Seal } from './ports/bundle-store.js';
import type { SpoolFile } from './ports/spools.js';
import { proveOwnEntries } from './prove-own-entries.js';
import { contentDigestOf, type ManifestBody, manifestBody, signedManifest } from './seal-manifest.js';
import { spoolChain } from './spool-chain.js';
import type { SpooledEvents } from './spool-events.js';

/** Everything after the walk over the events: documents, chain, manifest, signatures, the ZIP in the write-once store. */
export async function sealArchive(deps: BuildDeps, build: Build, events: SpooledEvents): Promise<Seal> {
  const documents = await gatherDocuments(deps, build, events.documents);
  await build.tell('PROOFS', 0, 1);
  const withheld: WithheldRecords = {
    events: events.withheld,
    documents: new Map(documents.withheld.map(({ document_id, reason }) => [document_id, reason])),
  };
  const acts = await gatherActs(deps, build, events, documents, withheld);
  const entries = await entriesOf(deps, build, events, documents, acts);
  const digest = await contentDigestOf(build, events, documents);
  const body = await manifestBody(deps, build, { events, documents, digest, withheld });
  const withCertificate = build.bundle.profile === 'minimal' ? [] : [certificateEntry(body, entries)];
  const all = inPlace(entries, withCertificate);
  const manifest: ManifestBody = { ...body, files: all.map(({ file }) => file) };
  const [text, signature] = await signedManifest(deps, build, manifest, events.manifestEvents);
  const archive: SealedEntry[] = [
    { path: MANIFEST_PATH, size: text.length, content: text },
    { path: SIGNATURE_PATH, size: signature.length, content: signature },
    ...all.map(({ file, content }) => ({ path: file.path, size: file.size, content })),
  ];
  const { sha256, sizeBytes } = await store(deps, build, archive).catch((error: unknown) =>
    overtaken(deps, build, documents, error),
  );
  const told = withheldIn(withheld);
  return {
    ...(told === null ? {} : { withheld: told }),
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
  readonly content: SealedEntry['content'];
}

/** Every entry but manifest, signature and certificate, in order. */
async function entriesOf(
  deps: BuildDeps,
  build: Build,
  events: SpooledEvents,
  { documents }: GatheredDocuments,
  acts: ReadonlyMap<number, ChainEntry>,
): Promise<readonly ListedEntry[]> {
  const chain = await spoolChain(await build.spools.next(), events.chain, acts);
  const listed = documentContents(documents).map(({ sha256, size }) => ({
    file: { path: documentPath(sha256), size, sha256 },
    content: { sha256 },
  }));
  const leading = [await spooledEntry(CHAIN_PATH, chain), await spooledEntry(EVENTS_PATH, events.lines), ...listed];
  if (build.bundle.profile === 'minimal') return leading;
  await proveOwnEntries(deps, build, acts, events);
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
  return { file: { path, size, sha256 }, content: { descriptor: spool.descriptor } };
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

async function store({ tenants, archives }: BuildDeps, { tenantId, tell }: Build, archive: readonly SealedEntry[]) {
  const tenant = await tenants.find(tenantId);
  if (!tenant) throw new LeaseLost('the tenant of a bundle is unknown');
  const total = archive.reduce((sum, { size }) => sum + size, 0);
  return archives.store({ tenantId, logId: tenant.log_id }, archive, (done) =>
    tell('ARCHIVE', Math.min(done, total), total),
  );
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
