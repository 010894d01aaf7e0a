import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import type { RowChange } from '../../../shared/jobs/work-queue.js';
import { searchedText, type WeightedText } from '../../../shared/text/searched-text.js';
import type { WormStore } from '../../../shared/worm/worm-store.js';
import { describingTexts } from '../domain/document-words.js';
import type { DocumentStore, StoredDocument } from './ports/document-store.js';
import type { TextExtractor } from './ports/text-extractor.js';
import type { TextSource } from './ports/text-store.js';
import { namesOf } from './read-documents.js';

export interface ExtractDeps {
  readonly extractor: TextExtractor;
  readonly worm: WormStore;
  readonly tenants: TenantDirectory;
  readonly documents: DocumentStore;
  /** Larger contents are not read. */
  readonly maxBytes: number;
}

/** What is found of one document is bounded: a row holds no more. */
const MAX_TERMS = 50_000;

/**
 * Reads one content and tells what becomes of its row. A failure is an outcome: the same bytes fail the same way again. A
 * content that cannot be read is found by what the record says of it: a scanned letter by its title.
 */
export async function extractOne(deps: ExtractDeps, source: TextSource): Promise<RowChange> {
  const document = await deps.documents(source.tenant_id).get(source.document_id);
  const described = document === null ? [] : describingTexts({ ...document, ...namesOfContent(document, source) });
  const read = await contentOf(deps, source);
  if ('text' in read) {
    const found = foundBy([...described, { text: read.text, weight: 1 }]);
    return { set: { status: 'READY', ...found, text: read.text } };
  }
  const found = foundBy(described);
  return {
    set: 'fault' in read ? { status: 'FAILED', reason: read.fault, ...found } : { status: 'UNSUPPORTED', ...found },
  };
}

/** A rendition is found by the names that its readers are told. */
const namesOfContent = (document: StoredDocument, { sha256 }: TextSource) =>
  namesOf(document, document.rendition?.sha256 === sha256);

type ReadContent = { readonly text: string } | { readonly fault: string } | { readonly unsupported: true };

async function contentOf(deps: ExtractDeps, source: TextSource): Promise<ReadContent> {
  if (!deps.extractor.canRead(source.media_type)) return { unsupported: true };
  if (source.size > deps.maxBytes) return { fault: 'TOO_LARGE' };
  const tenant = await deps.tenants.find(source.tenant_id);
  if (!tenant) return { fault: 'UNREADABLE' };
  const worm = deps.worm.forTenant({ tenantId: source.tenant_id, logId: tenant.log_id });
  const blocks: Buffer[] = [];
  for await (const block of worm.readBlob(source.sha256)) blocks.push(block);
  return deps.extractor.extract(source.media_type, Buffer.concat(blocks));
}

/** What describes a document stands before its content, so that it is not cut off. */
function foundBy(texts: readonly WeightedText[]) {
  const { terms, weights, words, length } = searchedText(texts);
  return { terms: terms.slice(0, MAX_TERMS), weights: weights.slice(0, MAX_TERMS), words, length };
}
