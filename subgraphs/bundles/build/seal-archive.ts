import { sha256Hex } from '../../../shared/crypto/hash.js';
import { Problem } from '../../../shared/errors/problem.js';
import {
  CERTIFICATE_PATH,
  CHAIN_PATH,
  CHECKPOINT_PATH,
  documentPath,
  EVENTS_PATH,
  FACTS_PATH,
  INCLUSION_PATH,
  LEDGER_PATH,
  LOGS_PATH,
  MANIFEST_PATH,
  MAP_PATH,
  SEALING_PATH,
  SIGNATURE_PATH,
} from '../../../shared/evidence/bundle/entries.js';
import type { ManifestFile, ManifestLog } from '../../../shared/evidence/bundle/manifest.js';
import type { SealedEntry, SpoolFile } from '../archive/index.js';
import type { Seal } from '../bundles/index.js';
import { type Build, type BuildDeps, FrozenTooEarly, LeaseLost } from './build-deps.js';
import { certificateText } from './domain/certificate.js';
import { documentContents, type WithheldRecords, withheldIn } from './domain/manifest-records.js';
import { type GatheredActs, gatherActs } from './gather-acts.js';
import { type GatheredDocuments, gatherDocuments, hasChangedDocuments } from './gather-documents.js';
import { proveActs } from './prove-acts.js';
import { proveMap } from './prove-map.js';
import { contentDigestOf, type ManifestBody, manifestBody, signedManifest } from './seal-manifest.js';
import { spoolChain } from './spool-chain.js';
import type { SpooledEvents } from './spool-events.js';

/**
 * Completes the bundle after the walk over its events: documents, chain, manifest, signatures, and the ZIP in the
 * write-once store.
 */
export async function sealArchive(deps: BuildDeps, build: Build, events: SpooledEvents): Promise<Seal> {
  const documents = await gatherDocuments(deps, build, events.documents);
  await build.reportProgress('PROOFS', 0, 1);
  const withheld: WithheldRecords = {
    events: events.withheld,
    documents: new Map(documents.withheld.map(({ document_id, reason }) => [document_id, reason])),
  };
  const acts = await gatherActs(deps, build, events, documents, withheld);
  const { entries, logs } = await entriesOf(deps, build, { events, documents, acts, withheld });
  const digest = await contentDigestOf(build, events, documents);
  const body = await manifestBody(deps, build, { events, documents, digest, withheld, logs });
  const withCertificate = build.bundle.profile === 'minimal' ? [] : [certificateEntry(body, entries)];
  const all = inPlace(entries, withCertificate);
  const manifest: ManifestBody = { ...body, files: all.map(({ file }) => file) };
  const { text, signature, sealing } = await signedManifest(deps, build, manifest, events.manifestEvents);
  const archive: SealedEntry[] = [
    { path: MANIFEST_PATH, size: text.length, content: text },
    { path: SIGNATURE_PATH, size: signature.length, content: signature },
    ...(sealing === null ? [] : [{ path: SEALING_PATH, size: sealing.length, content: sealing }]),
    ...all.map(({ file, content }) => ({ path: file.path, size: file.size, content })),
  ];
  const { sha256, sizeBytes } = await store(deps, build, archive).catch((error: unknown) =>
    explainMissing(deps, build, documents, error),
  );
  const summary = withheldIn(withheld);
  return {
    ...(summary === null ? {} : { withheld: summary }),
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

interface EntryParts {
  readonly events: SpooledEvents;
  readonly documents: GatheredDocuments;
  readonly acts: GatheredActs;
  readonly withheld: WithheldRecords;
}

interface MadeEntries {
  readonly entries: readonly ListedEntry[];
  /** Logs of the state map; null in the minimal profile. */
  readonly logs: readonly ManifestLog[] | null;
}

/** Returns every entry except manifest, signature, fact and certificate, in order. */
async function entriesOf(deps: BuildDeps, build: Build, parts: EntryParts): Promise<MadeEntries> {
  const { events, documents, acts, withheld } = parts;
  const { rows, facts, mapRecord: record } = await proveActs(deps, build, acts, events);
  const chain = await spoolChain(await build.spools.next(), events.chain, rows);
  const listed = documentContents(documents.documents).map(({ sha256, size }) => ({
    file: { path: documentPath(sha256), size, sha256 },
    content: { sha256 },
  }));
  const leading = [await spooledEntry(CHAIN_PATH, chain), await spooledEntry(EVENTS_PATH, events.lines), ...listed];
  if (build.bundle.profile === 'minimal') return { entries: leading, logs: null };
  const proven = await proveMap(deps, build, { events, documents, withheld, holdIds: acts.holdIds, record });
  const verifiers = await deps.verifierFiles();
  const entries = [
    ...leading,
    bufferEntry(CHECKPOINT_PATH, Buffer.from(build.frozen.checkpoint.note)),
    await spooledEntry(LEDGER_PATH, events.ledger),
    await spooledEntry(INCLUSION_PATH, events.inclusion),
    await spooledEntry(FACTS_PATH, facts),
    await spooledEntry(MAP_PATH, proven.map),
    await spooledEntry(LOGS_PATH, proven.logs),
    ...verifiers.map(({ path, content }) => bufferEntry(path, content)),
  ];
  return { entries, logs: proven.listed };
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

/** Puts the certificate after the proofs, before the verifiers. */
function inPlace(entries: readonly ListedEntry[], certificate: readonly ListedEntry[]): readonly ListedEntry[] {
  const at = entries.findIndex(({ file }) => file.path === LOGS_PATH) + 1;
  return [...entries.slice(0, at), ...certificate, ...entries.slice(at)];
}

async function store(
  { tenants, archives }: BuildDeps,
  { tenantId, reportProgress }: Build,
  archive: readonly SealedEntry[],
) {
  const tenant = await tenants.find(tenantId);
  if (!tenant) throw new LeaseLost('the tenant of the bundle is unknown');
  const total = archive.reduce((sum, { size }) => sum + size, 0);
  return archives.store({ tenantId, logId: tenant.log_id }, archive, (done) =>
    reportProgress('ARCHIVE', Math.min(done, total), total),
  );
}

/** Documents are marked before their content goes: missing content was disposed of, not lost. */
async function explainMissing(
  deps: BuildDeps,
  { tenantId }: Build,
  { documents }: GatheredDocuments,
  error: unknown,
): Promise<never> {
  const isMissing = error instanceof Problem && error.code === 'NOT_FOUND';
  if (!isMissing || !(await hasChangedDocuments(deps, tenantId, documents))) throw error;
  throw new FrozenTooEarly('a document was disposed of while the bundle was built');
}
