import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { Wanted } from '../../../../shared/text/search-query.js';
import type { TextStatus } from '../../domain/text-states.js';

/** The words of one content of a document: of its original, or of one of its renditions. */
export interface TextKey {
  readonly tenant_id: TenantId;
  readonly document_id: string;
  /** Of the content. Which content a reader may search is asked of the document, and stands nowhere here. */
  readonly sha256: string;
}

export interface TextSource extends TextKey {
  readonly size: number;
  readonly media_type: string;
  readonly created_at: Date;
}

export interface TextStanding {
  readonly status: TextStatus;
  /** Why it failed. */
  readonly reason: string | null;
}

/** What a content is found by. */
export interface IndexedText extends TextKey {
  readonly created_at: Date;
  readonly terms: readonly string[];
  readonly weights: readonly number[];
  readonly words: string;
  readonly length: number;
  readonly text: string;
}

export interface TextLook {
  /** Terms and prefixes that a text must have, and those that it must not have. */
  readonly all: readonly Exclude<Wanted, { kind: 'phrase' }>[];
  readonly none: readonly Exclude<Wanted, { kind: 'phrase' }>[];
  readonly limit: number;
}

/** Texts of one tenant's documents. */
export interface TenantTexts {
  /** Durable; work for the job. What is there already stays as it is. */
  expect(source: TextSource): Promise<void>;
  /** The newest documents' texts first; without the text itself. */
  look(look: TextLook): Promise<readonly Omit<IndexedText, 'text'>[]>;
  /** Where the reading of a content stands; null before anything was asked of it. */
  standing(key: TextKey): Promise<TextStanding | null>;
  /** The texts of these, by content. */
  texts(keys: readonly TextKey[]): Promise<ReadonlyMap<string, string>>;
  count(part: Exclude<Wanted, { kind: 'phrase' }>, limit: number): Promise<number>;
  /** Contents that have been looked at, and are found. */
  total(): Promise<number>;
}

export type TextStore = (tenantId: TenantId) => TenantTexts;
