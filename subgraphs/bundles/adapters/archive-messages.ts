import type { ErrorCode } from '../../../shared/errors/registry.js';
import type { BlobPlace, WormBlob, WormRecord, WormTenant } from '../../../shared/worm/worm-store.js';
import type { SpooledContent, StoredContent } from '../service/ports/archive.js';

// Between the service and the thread that stores its archives; `id` names one archive.

/** What the thread is begun with. */
export interface ThreadData {
  readonly place: BlobPlace;
}

export interface SentEntry {
  readonly path: string;
  readonly size: number;
  readonly content: Uint8Array | SpooledContent | StoredContent;
}

export type ToThread =
  | {
      readonly kind: 'store';
      readonly id: number;
      readonly tenant: WormTenant;
      readonly entries: readonly SentEntry[];
      /** By the service's clock. */
      readonly nowMs: number;
    }
  | { readonly kind: 'cancel'; readonly id: number }
  /** The answer to `record`; a text where it could not be written. */
  | { readonly kind: 'recorded'; readonly id: number; readonly failure: string | null };

export type FromThread =
  | { readonly kind: 'told'; readonly id: number; readonly bytes: number }
  /** Segments have one writer a process: the service. */
  | { readonly kind: 'record'; readonly id: number; readonly records: readonly WormRecord[] }
  | { readonly kind: 'stored'; readonly id: number; readonly blob: WormBlob }
  | { readonly kind: 'failed'; readonly id: number; readonly code: ErrorCode | null; readonly text: string };
