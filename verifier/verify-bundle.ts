import { AsideDigests } from './archive/aside-digests.js';
import { documentHashOf, MANIFEST } from './archive/entry-names.js';
import { EntryReader } from './archive/entry-reader.js';
import type { PlacedEntry } from './archive/zip-data.js';
import { openArchive, printable } from './checks/archive.js';
import { checkCheckpoint } from './checks/checkpoint.js';
import type { BundleContext, Context, VerifyOptions } from './checks/context.js';
import { checkDocumentName, checkDocuments } from './checks/documents.js';
import { EventWalk } from './checks/event-walk.js';
import { checkDigest, checkListing, profileOf } from './checks/files.js';
import { checkKey } from './checks/key.js';
import { checkSignatures } from './checks/signatures.js';
import { checkTimestamp } from './checks/timestamp.js';
import type { Tree } from './hashing/tree.js';
import { type ManifestConsent, ShapeFault } from './manifest/manifest-shape.js';
import { ManifestText } from './manifest/manifest-text.js';
import type { Platform, Source } from './platform.js';
import { Findings, type VerificationReport } from './report.js';
import { fromUtf8, utf8 } from './text/bytes.js';
import { NotCanonical } from './text/canonical-scanner.js';
import { readKeySet } from './trust/key-set.js';

export type { VerifyOptions } from './checks/context.js';

/** A longer text is more than one string of the language can hold. */
const MAX_MANIFEST_BYTES = 500 * 2 ** 20;

/**
 * Verifies a bundle with nothing but its bytes and what the caller holds beside it (evidence.md section 5). Memory is
 * constant but for the manifest.
 *
 * @throws UsageFault for an option that cannot be understood; whatever the bundle is, the answer is a report.
 */
export async function verifyBundle(
  source: Source,
  platform: Platform,
  options: VerifyOptions = {},
): Promise<VerificationReport> {
  const findings = new Findings();
  const context: Context = { source, platform, findings, options };
  const entries = await openArchive(context);
  const bundle = entries === undefined ? undefined : await openBundle(context, entries);
  if (bundle !== undefined) await judgeBeside(bundle);
  return findings.report(source.sizeBytes);
}

/** Documents, which no check reads but for their digests, are hashed beside the walk over the events. */
async function judgeBeside(bundle: OpenedBundle): Promise<void> {
  const { platform, source, entries } = bundle.context;
  const documents = [...entries.values()].filter(({ name }) => documentHashOf(name) !== undefined);
  const aside = new AsideDigests(platform, source, documents);
  try {
    await judge(bundle, aside);
  } finally {
    await aside.stop();
  }
}

interface OpenedBundle {
  readonly context: BundleContext;
  readonly readers: Map<string, EntryReader>;
}

async function openBundle(
  context: Context,
  entries: ReadonlyMap<string, PlacedEntry>,
): Promise<OpenedBundle | undefined> {
  const { source, platform, findings } = context;
  const readers = new Map<string, EntryReader>();
  const open = (path: string): EntryReader | undefined => {
    const entry = entries.get(path);
    if (entry === undefined) return undefined;
    const reader = readers.get(path) ?? new EntryReader(platform, source, entry);
    readers.set(path, reader);
    return reader;
  };
  const entry = entries.get(MANIFEST);
  if (entry === undefined || entry.size > MAX_MANIFEST_BYTES) {
    findings.broken(
      'manifest',
      'MANIFEST_MISSING',
      MANIFEST,
      entry === undefined ? 'the entry is missing' : 'larger than any bundle has',
    );
    return undefined;
  }
  const manifestBytes = await source.read(entry.dataAt, entry.size);
  const manifest = readManifest(findings, manifestBytes);
  if (manifest === undefined) return undefined;
  const listed = new Map(manifest.head.files.map((file) => [file.path, file]));
  const profile = profileOf(manifest.head);
  return { context: { ...context, manifest, manifestBytes, entries, listed, profile, open }, readers };
}

function readManifest(findings: Findings, bytes: Uint8Array): ManifestText | undefined {
  const broken = (code: string, detail: string): undefined =>
    findings.broken('manifest', code, MANIFEST, detail) as undefined;
  const text = fromUtf8(bytes);
  if (text === undefined) return broken('MANIFEST_NOT_CANONICAL', 'not UTF-8');
  try {
    const manifest = new ManifestText(text);
    findings.done('manifest', 'RFC 8785');
    return manifest;
  } catch (fault) {
    if (fault instanceof NotCanonical) return broken('MANIFEST_NOT_CANONICAL', fault.message);
    if (fault instanceof ShapeFault) return broken('MANIFEST_FORM', `${fault.message} is missing or has another form`);
    throw fault;
  }
}

async function judge({ context, readers }: OpenedBundle, aside: AsideDigests): Promise<void> {
  const { findings, options, profile } = context;
  const known = options.keySet === undefined ? undefined : readKeySet(options.keySet);
  describe(context);
  await checkSignatures(context);
  checkKey(context, known, await checkTimestamp(context));
  checkListing(context);
  const tree = await checkCheckpoint(context, known);
  await checkContent(context, tree);
  checkDocuments(context);
  await checkFiles(context, readers, aside);
  if (profile === 'minimal') {
    findings.note(
      'A minimal bundle: that its records are those of the ledger, and stand in its tree, could not be checked.',
    );
  }
  if (context.manifest.head.consent !== undefined) {
    findings.skipped(
      "Whether consent was judged rightly for the bundle's purpose, and how much it keeps out: those stand under the bundle's signature alone.",
    );
  }
  findings.skipped(
    "What custody and system rows of chain.tsv say of an act, beside its place in the ledger; legal holds and the certificate: they stand under the bundle's signature alone.",
  );
}

function describe({ findings, manifest, profile }: BundleContext): void {
  const { bundle_id, bundle_type, tenant_id, sealed_at, signing_key_id, ledger, content_digest, counts, consent } =
    manifest.head;
  const texts = { bundle_id, bundle_type, tenant_id, sealed_at, signing_key_id, origin: ledger.origin };
  const shown = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, printable(text)]),
  ) as typeof texts;
  findings.bundle = {
    ...shown,
    tree_size: ledger.tree_size,
    root_hash: ledger.root_hash,
    content_digest,
    profile,
    counts,
    ...(consent === undefined ? {} : { consent: shownConsent(consent) }),
  };
}

const shownConsent = ({ purpose, withheld }: ManifestConsent): ManifestConsent => ({
  purpose: printable(purpose),
  withheld: withheld.map((row) => ({ ...row, reason: printable(row.reason) })),
});

/** The walk over the events, and the digest and counts that follow from it. */
async function checkContent(context: BundleContext, tree: Tree): Promise<void> {
  const { platform, findings, manifest, profile } = context;
  const { documents, counts, content_digest } = manifest.head;
  const digest = platform.startSha256();
  const listed = documents.map(({ sha256, state }) => JSON.stringify({ sha256, state })).join(',');
  digest.update(utf8(`eas:content:v1\0{"documents":[${listed}],"events":[`));
  const walk = new EventWalk(context, digest, tree);
  await walk.walk();
  digest.update(utf8(`],"scope":${manifest.valueText('scope')}}`));
  const broken = (code: string, subject: string, detail: string): void =>
    findings.broken('content', code, subject, detail);
  if (digest.hex() !== content_digest)
    broken('CONTENT_DIGEST', MANIFEST, 'content_digest is not that of events, documents and scope');
  const states = (state: string): number => documents.filter((one) => one.state === state).length;
  const found: Readonly<Record<string, number>> = {
    events: walk.totals.events,
    documents: documents.length,
    redacted: walk.totals.redacted + states('REDACTED'),
    disposed: walk.totals.disposed + states('DISPOSED'),
    quarantined: states('QUARANTINED'),
  };
  for (const [name, count] of Object.entries(found)) {
    if (counts[name] !== count) broken('COUNT', `counts/${name}`, `says ${counts[name]}, and there are ${count}`);
  }
  for (const event of walk.totals.unmet)
    broken('REFERENCE', printable(event), 'a document refers to an event that is not in the bundle');
  if (profile === 'minimal' && walk.totals.redacted + walk.totals.disposed > 0) {
    broken('MINIMAL_WITH_GAPS', MANIFEST, 'a minimal bundle cannot show what a redacted or disposed event was');
  }
  findings.done('content', `${found['events']} events, ${found['documents']} documents`);
}

/** Reads what is left of every entry and compares its hash. */
async function checkFiles(
  context: BundleContext,
  readers: ReadonlyMap<string, EntryReader>,
  aside: AsideDigests,
): Promise<void> {
  let bytes = 0;
  for (const [name, entry] of context.entries) {
    const digest = await (aside.of(name) ?? (readers.get(name) ?? context.open(name))?.digest());
    if (digest === undefined) continue;
    checkDigest(context, entry, digest);
    checkDocumentName(context, name, digest.sha256);
    bytes += entry.size;
  }
  context.findings.done('files', `${context.entries.size} entries, ${bytes} bytes`);
}
