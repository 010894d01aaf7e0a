import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import type { RowChange } from '../../../shared/jobs/work-queue.js';
import { searchedText, type WeightedText } from '../../../shared/text/searched-text.js';
import type { WormStore } from '../../../shared/worm/worm-store.js';
import type { TextExtractor } from '../content/index.js';
import type { DocumentStore, StoredDocument } from '../documents/index.js';
import { namesOf } from '../documents/index.js';
import { describingTexts } from './domain.js';
import type { TextSource } from './ports.js';

export interface ExtractDeps {
  readonly extractor: TextExtractor;
  readonly worm: WormStore;
  readonly tenants: TenantDirectory;
  readonly documents: DocumentStore;
  /** Larger contents are not read. */
  readonly maxBytes: number;
}

/** Most terms of one document. */
const MAX_TERMS = 50_000;

/**
 * Extracts the text of one content.
 *
 * @returns the change of its row. A failure is a result, because the same bytes fail again. A content that cannot be
 *   read is found by its record: a scanned letter by its title.
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

/** A rendition is found by the names that its readers see. */
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

/** Descriptive texts come first, so that the limit does not cut them. */
function foundBy(texts: readonly WeightedText[]) {
  const { terms, weights, words, length } = searchedText(texts);
  return { terms: terms.slice(0, MAX_TERMS), weights: weights.slice(0, MAX_TERMS), words, length };
}
