import { documentHashOf } from '../archive/entry-names.js';
import type { ManifestDocument } from '../manifest/manifest-shape.js';
import type { HeldFacts } from './act-records.js';
import { printable } from './archive.js';
import type { BundleContext } from './context.js';

const SHOWN: readonly string[] = ['INCLUDED', 'REDACTED'];

/** Checks that each disclosed document has its entry, that no other document entry exists, and that states are valid. */
export function checkDocuments({ findings, manifest, entries }: BundleContext): void {
  const shown = new Set<string>();
  const seen = new Set<string>();
  const { documents } = manifest.head;
  for (const { document_id, sha256, size, state } of documents) {
    const broken = (code: string, detail: string): void =>
      findings.broken('documents', code, printable(document_id), detail);
    if (seen.has(document_id)) broken('DOCUMENT_TWICE', 'the manifest lists the document twice');
    seen.add(document_id);
    if (SHOWN.includes(state)) {
      const entry = sha256 === null ? undefined : entries.get(`documents/${sha256}`);
      if (entry === undefined) broken('DOCUMENT_MISSING', `${state}, and its content is not in the archive`);
      else if (entry.size !== size) broken('DOCUMENT_SIZE', `${entry.size} bytes, said to be ${size}`);
      if (sha256 !== null) shown.add(sha256);
    } else if (state === 'DISPOSED' && sha256 !== null) {
      broken('DOCUMENT_STATE', 'disposed of, and still named by the hash of its content');
    }
  }
  for (const name of entries.keys()) {
    const sha256 = documentHashOf(name);
    if (sha256 !== undefined && !shown.has(sha256)) {
      findings.broken('documents', 'DOCUMENT_UNNAMED', name, 'content of no document of the manifest');
    }
  }
  findings.done('documents', `${shown.size} contents of ${documents.length} documents`);
}

/** Checks each document against its latest fact, and a rendition against the fact of its redaction. */
export function checkDocumentFacts({ findings, manifest }: BundleContext, facts: HeldFacts): void {
  for (const document of manifest.head.documents) {
    const fault = factFault(document, facts);
    if (fault === undefined) continue;
    const [code, detail] = fault;
    findings.broken('documents', code, printable(document.document_id), detail);
  }
}

function factFault(
  { document_id: id, sha256, size, state }: ManifestDocument,
  facts: HeldFacts,
): readonly [code: string, detail: string] | undefined {
  if (facts.of('document', id) === undefined) return ['DOCUMENT_UNPROVEN', 'the bundle holds no fact of it'];
  const status = facts.state('document', id, 'status');
  const says = (kind: string, name: string, value: unknown): boolean => facts.state(kind, id, name) === value;
  if (state === 'REDACTED') {
    const kind = 'document-redaction';
    if (facts.of(kind, id) === undefined) return ['DOCUMENT_UNPROVEN', 'the bundle holds no fact of its redaction'];
    const same = says(kind, 'rendition/sha256', sha256) && says(kind, 'rendition/size', size);
    return same ? undefined : ['DOCUMENT_FACT', 'the fact of its redaction names another rendition'];
  }
  if (state === 'DISPOSED')
    return status === 'DISPOSED'
      ? undefined
      : ['DOCUMENT_FACT', 'its latest fact does not say that it was disposed of'];
  if (!says('document', 'sha256', sha256) || !says('document', 'size', size))
    return ['DOCUMENT_FACT', 'its latest fact names other content'];
  if (state === 'INCLUDED' && status !== 'AVAILABLE')
    return ['DOCUMENT_FACT', 'its latest fact does not say that it is available'];
  return undefined;
}

/** Checks that the content of a document's entry hashes to the entry's name. */
export function checkDocumentName({ findings }: BundleContext, name: string, sha256: string): void {
  const named = documentHashOf(name);
  if (named !== undefined && named !== sha256) {
    findings.broken('documents', 'DOCUMENT_HASH', name, 'the content is not what its name says');
  }
}
