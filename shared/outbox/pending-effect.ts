import type { SystemEntry } from '../contracts/system-ledger.js';
import type { Ids } from '../ids/ids.js';
import type { TenantId } from '../ids/tenant.js';
import type { ChangeKindName, EventDataOf } from './event-kinds.js';

// A change carries what must follow from it inside its own document, so that the write which is its commit point also
// commits to its consequences (design.md decision 5). Each effect has a fixed id and is performed by that id, at least
// once; the performer sees to it that a second time changes nothing.

/** What every effect has: the id by which it is performed, and its kind. */
export interface Effect {
  readonly id: string;
  readonly kind: string;
}

/** An entry in a reserved partition of a tenant's ledger; the effect's id is its source_record_id. */
export interface LedgerEntryEffect extends Effect {
  readonly kind: 'ledger-entry';
  readonly tenant_id: TenantId;
  readonly source_system: SystemEntry['source_system'];
  readonly entry: Omit<SystemEntry, 'source_system' | 'source_record_id'>;
}

/** A platform event; its message's id follows from the effect's, so that each attempt publishes the same message. */
export interface PlatformEventEffect<K extends ChangeKindName = ChangeKindName> extends Effect {
  readonly kind: 'platform-event';
  readonly tenant_id: TenantId;
  readonly type: K;
  /** When it happened, RFC 3339. */
  readonly at: string;
  readonly data: EventDataOf<K>;
}

/** Kinds that any document may carry; a new one is its interface here and its performer in performers.ts. */
export type PendingEffect = LedgerEntryEffect | PlatformEventEffect;

export const ledgerEntryEffect = (
  ids: Pick<Ids, 'next'>,
  effect: Omit<LedgerEntryEffect, 'id' | 'kind'>,
): LedgerEntryEffect => ({ id: ids.next('effect'), kind: 'ledger-entry', ...effect });

/** Members of `data` are those of the kind in the catalogue (event-kinds.ts). */
export const platformEventEffect = <K extends ChangeKindName>(
  ids: Pick<Ids, 'next'>,
  effect: Omit<PlatformEventEffect<K>, 'id' | 'kind'>,
): PlatformEventEffect<K> => ({ id: ids.next('effect'), kind: 'platform-event', ...effect });
