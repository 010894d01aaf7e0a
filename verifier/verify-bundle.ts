import type { PlacedEntry } from '../shared/zip/sealed-entries.js';
import { AsideDigests } from './archive/aside-digests.js';
import { documentHashOf, MANIFEST } from './archive/entry-names.js';
import { EntryReader } from './archive/entry-reader.js';
import type { HeldFacts } from './checks/act-records.js';
import { openArchive, printable } from './checks/archive.js';
import { checkCheckpoint, logKeys } from './checks/checkpoint.js';
import type { BundleContext, Context, VerifyOptions } from './checks/context.js';
import { checkDocumentFacts, checkDocumentName, checkDocuments } from './checks/documents.js';
import { EventWalk } from './checks/event-walk.js';
import { checkDigest, checkListing, profileOf } from './checks/files.js';
import { checkKey } from './checks/key.js';
import { checkSealing } from './checks/sealing.js';
import { checkSignatures } from './checks/signatures.js';
import { checkTimestamp } from './checks/timestamp.js';
import type { Tree } from './hashing/tree.js';
import { type ManifestConsent } from './manifest/manifest-shape.js';
import { ManifestText } from './manifest/manifest-text.js';
import { ShapeFault } from './manifest/members.js';
import type { Platform, Source } from './platform.js';
import { Findings, type VerificationReport } from './report.js';
import { fromUtf8, utf8 } from './text/bytes.js';
import { NotCanonical } from './text/canonical-scanner.js';
import { readKeySet } from './trust/key-set.js';

/** A JavaScript string cannot hold a longer text. */
const MAX_MANIFEST_BYTES = 500 * 2 ** 20;

/**
 * Verifies a bundle from its bytes and the caller's options alone (evidence.md section 5). Memory is constant except for the
 * manifest.
 *
 * @returns a report for any bundle, valid or not
 * @throws UsageFault for an invalid option
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

/** Hashes documents in the background of the event walk, because checks need only their digests. */
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
  const broken = (code: string, detail: string): undefined => {
    findings.broken('manifest', code, MANIFEST, detail);
    return undefined;
  };
  const text = fromUtf8(bytes);
  if (text === undefined) return broken('MANIFEST_NOT_CANONICAL', 'not UTF-8');
  try {
    const manifest = new ManifestText(text);
    findings.done('manifest', 'RFC 8785');
    return manifest;
  } catch (fault) {
    if (fault instanceof NotCanonical) return broken('MANIFEST_NOT_CANONICAL', fault.message);
    if (fault instanceof ShapeFault) return broken('MANIFEST_FORM', fault.message);
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
  await checkSealing(context, logKeys(context, known));
  checkExpected(context);
  const facts = await checkContent(context, tree);
  checkDocuments(context);
  if (profile === 'full') checkDocumentFacts(context, facts);
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
    "Legal holds and the certificate: they stand under the bundle's signature alone. A purpose, recipient or hash that an act does not disclose is `-` in chain.tsv.",
  );
}

/** Compares the bundle with the one that the caller asked for. */
function checkExpected({ findings, manifest, options }: BundleContext): void {
  const { expected } = options;
  const { bundle_id, scope } = manifest.head;
  if (expected === undefined) return;
  const { member_ids: _, ...requested } = scope;
  const names = new Set([...Object.keys(requested), ...Object.keys(expected.scope)]);
  const memberOf = (members: object, name: string): unknown => new Map(Object.entries(members)).get(name);
  const isOther = [...names].some((name) => memberOf(requested, name) !== memberOf(expected.scope, name));
  if (bundle_id !== expected.bundle_id || isOther)
    findings.broken('manifest', 'BUNDLE_OTHER', MANIFEST, 'the archive of another bundle, or of another scope');
}

function describe({ findings, manifest, profile }: BundleContext): void {
  const { bundle_id, bundle_type, tenant_id, sealed_at, signing_key_id, ledger, content_digest, counts, consent } =
    manifest.head;
  findings.bundle = {
    bundle_id: printable(bundle_id),
    bundle_type: printable(bundle_type),
    tenant_id: printable(tenant_id),
    sealed_at: printable(sealed_at),
    signing_key_id: printable(signing_key_id),
    origin: printable(ledger.origin),
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

/** Walks the events, then checks the content digest and the counts. */
async function checkContent(context: BundleContext, tree: Tree): Promise<HeldFacts> {
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
  const found = {
    events: walk.totals.events,
    documents: documents.length,
    redacted: walk.totals.redacted + states('REDACTED'),
    disposed: walk.totals.disposed + states('DISPOSED'),
    quarantined: states('QUARANTINED'),
  };
  for (const [name, said] of Object.entries(counts)) {
    const count = Object.entries(found).find(([known]) => known === name)?.[1];
    if (said !== count) broken('COUNT', `counts/${name}`, `says ${said}, and there are ${count}`);
  }
  for (const event of walk.totals.unmet)
    broken('REFERENCE', printable(event), 'a document refers to an event that is not in the bundle');
  if (profile === 'minimal' && walk.totals.redacted + walk.totals.disposed > 0) {
    broken('MINIMAL_WITH_GAPS', MANIFEST, 'a minimal bundle cannot show what a redacted or disposed event was');
  }
  findings.done('content', `${found.events} events, ${found.documents} documents`);
  return walk.facts;
}

/** Reads the rest of every entry and compares its hash. */
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
