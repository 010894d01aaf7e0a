import type { ExceptionKind, OutsideException } from '../../../../shared/contracts/exceptions.js';
import type { EventRedactionOrder } from '../../../../shared/contracts/redactions.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import type { Effect, PendingEffect } from '../../../../shared/outbox/pending-effect.js';
import type { DocumentRendition } from './document-store.js';
import type { TextSource } from './text-store.js';

/** Something that a person must look at follows from a change. */
export interface OpenExceptionEffect extends Effect {
  readonly kind: 'open-exception';
  readonly tenant_id: TenantId;
  readonly exception: OutsideException;
}

/** A change puts right what a person was to look at. */
export interface ResolveExceptionEffect extends Effect {
  readonly kind: 'resolve-exception';
  readonly tenant_id: TenantId;
  readonly exception_kind: ExceptionKind;
  readonly subject: JsonObject;
  readonly note: string;
}

/** An applied redaction: the ledger gives the event's rendition from now on. */
export interface HideEventEffect extends Effect {
  readonly kind: 'hide-event';
  readonly tenant_id: TenantId;
  readonly order: EventRedactionOrder;
}

/** An applied redaction: readers of the document get the rendition from now on. */
export interface SetRenditionEffect extends Effect {
  readonly kind: 'set-rendition';
  readonly tenant_id: TenantId;
  readonly document_id: string;
  /** Counts the applied redactions of the document: one that comes late takes nothing back. */
  readonly ordinal: number;
  readonly rendition: DocumentRendition;
}

/** A content may be read from now on: its words are for the search. */
export interface ExpectTextEffect extends Effect {
  readonly kind: 'expect-text';
  readonly source: Omit<TextSource, 'created_at'>;
  /** When the document was taken in, RFC 3339. */
  readonly at: string;
}

/** Effects that documents of this subgraph carry; a new one is its interface here and its performer in wiring/effects.ts. */
export type VaultEffect =
  | PendingEffect
  | OpenExceptionEffect
  | ResolveExceptionEffect
  | HideEventEffect
  | SetRenditionEffect
  | ExpectTextEffect;
