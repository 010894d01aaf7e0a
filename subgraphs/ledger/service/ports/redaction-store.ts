import type { EventRedaction } from '../../../../shared/contracts/redactions.js';

/** What is hidden of one event. */
export interface HiddenOfEvent extends EventRedaction {
  /** Of the redaction that it stands from; see EventRedactionOrder. */
  readonly ordinal: number;
}

/** What is hidden of one tenant's events. */
export interface TenantRedactions {
  /** By event id; events of which nothing is hidden are left out. */
  of(eventIds: readonly string[]): Promise<ReadonlyMap<string, HiddenOfEvent>>;
  /** Durable; one of a lower or the same ordinal than what stands changes nothing. */
  put(eventId: string, hidden: HiddenOfEvent): Promise<void>;
}

export type RedactionStore = (tenantId: string) => TenantRedactions;
