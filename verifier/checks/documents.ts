import { documentHashOf } from '../archive/entry-names.js';
import { printable } from './archive.js';
import type { BundleContext } from './context.js';

const SHOWN: readonly string[] = ['INCLUDED', 'REDACTED'];
const WITHHELD: readonly string[] = ['QUARANTINED', 'DISPOSED'];

/** Every document that is said to be there has its entry, no other entry is there, and the others are told with their state. */
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
    } else if (!WITHHELD.includes(state)) broken('DOCUMENT_STATE', 'a state that no document has');
    else if (state === 'DISPOSED' && sha256 !== null) {
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

/** A document's entry is named by its hash: the file's name must be true as well. */
export function checkDocumentName({ findings }: BundleContext, name: string, sha256: string): void {
  const named = documentHashOf(name);
  if (named !== undefined && named !== sha256) {
    findings.broken('documents', 'DOCUMENT_HASH', name, 'the content is not what its name says');
  }
}
