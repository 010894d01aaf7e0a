import type { Index } from '../catalog/index-definition.js';
import type { Coverage } from './coverage.js';

/** Key strings from `lower` up to but not including `upper`. */
export interface KeyRange {
  readonly lower: Buffer;
  readonly upper: Buffer;
  /** Every field of the index is fixed: `lower` is the one whole key. */
  readonly point: boolean;
}

export interface IndexAccess {
  readonly kind: 'index';
  readonly index: Index;
  readonly ranges: readonly KeyRange[];
  readonly direction: 1 | -1;
}

export type Access =
  | { readonly kind: 'collection'; readonly direction: 1 | -1 }
  | IndexAccess
  | { readonly kind: 'union'; readonly branches: readonly IndexAccess[] }
  | { readonly kind: 'nothing' };

/** How a query is answered. Explain prints exactly this, and nothing else decides. */
export interface QueryPlan {
  readonly access: Access;
  /** The ranges let documents through that the filter does not: each must be matched. */
  readonly residual: boolean;
  /** The scan's own order is not the one asked for: documents are sorted before the first is given out. */
  readonly blockingSort: boolean;
  /** All that is read of a document stands in the key: it is fetched only where the key does not tell it. */
  readonly covered?: Coverage | undefined;
}
