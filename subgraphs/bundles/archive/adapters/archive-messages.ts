import type { ErrorCode } from '../../../../shared/errors/registry.js';
import type { BlobPlace, WormBlob, WormRecord, WormTenant } from '../../../../shared/worm/worm-store.js';
import type { SpooledContent, StoredContent } from '../ports.js';

// Messages between the service and the thread that stores its archives; `id` names one archive.

/** Data that the thread starts with. */
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
      /** Time of the service's clock. */
      readonly nowMs: number;
    }
  | { readonly kind: 'cancel'; readonly id: number }
  /** Answers `record`; the text says why the records could not be written. */
  | { readonly kind: 'recorded'; readonly id: number; readonly failure: string | null };

export type FromThread =
  | { readonly kind: 'progress'; readonly id: number; readonly bytes: number }
  /** Segments have one writer per process: the service. */
  | { readonly kind: 'record'; readonly id: number; readonly records: readonly WormRecord[] }
  | { readonly kind: 'stored'; readonly id: number; readonly blob: WormBlob }
  | { readonly kind: 'failed'; readonly id: number; readonly code: ErrorCode | null; readonly text: string };
