import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Wanted } from '../../../shared/text/search-query.js';
import type { TextStatus } from '../documents/domain.js';

/** The text of one content of a document: its original, or one of its renditions. */
export interface TextKey {
  readonly tenant_id: TenantId;
  readonly document_id: string;
  /** Hash of the content. The document, not this index, decides which content a reader may search. */
  readonly sha256: string;
}

export interface TextSource extends TextKey {
  readonly size: number;
  readonly media_type: string;
  readonly created_at: Date;
}

interface TextState {
  readonly status: TextStatus;
  /** Failure code. */
  readonly reason: string | null;
}

/** The index entry of a content. */
export interface IndexedText extends TextKey {
  readonly created_at: Date;
  readonly terms: readonly string[];
  readonly weights: readonly number[];
  readonly words: string;
  readonly length: number;
  readonly text: string;
}

interface TextQuery {
  /** Terms and prefixes that a text must contain, and those that it must not. */
  readonly all: readonly Exclude<Wanted, { kind: 'phrase' }>[];
  readonly none: readonly Exclude<Wanted, { kind: 'phrase' }>[];
  readonly limit: number;
}

/** The texts of one tenant's documents. */
interface TenantTexts {
  /** Queues a content for extraction; durable. An existing row stays unchanged. */
  expect(source: TextSource): Promise<void>;
  /** Returns matching entries without their texts, newest documents first. */
  find(query: TextQuery): Promise<readonly Omit<IndexedText, 'text'>[]>;
  /** Returns the extraction state of a content, or null before it was queued. */
  state(key: TextKey): Promise<TextState | null>;
  /** Returns the texts by content. */
  texts(keys: readonly TextKey[]): Promise<ReadonlyMap<string, string>>;
  count(part: Exclude<Wanted, { kind: 'phrase' }>, limit: number): Promise<number>;
  /** Counts the indexed contents. */
  total(): Promise<number>;
}

export type TextStore = (tenantId: TenantId) => TenantTexts;
