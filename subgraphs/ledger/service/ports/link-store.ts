import type { ExceptionKind } from '../../../../shared/contracts/exceptions.js';
import type { LinkedEvent, LinkRole, NumberKey } from '../../domain/linked-event.js';

/** One event by its numbers, and what it waits for. */
export interface LinkRow extends LinkedEvent {
  readonly tenant_id: string;
  readonly source_system: string;
  readonly seq: number;
  /** What comes with one of its numbers is of consequence to it. */
  readonly watched: boolean;
  /** It is judged then, whatever has come; null: by what comes alone. */
  readonly due_at: Date | null;
  /** Exceptions that were opened for it, and are taken back when they are over. */
  readonly opened: readonly ExceptionKind[];
}

export type LinkPlace = Pick<LinkRow, 'source_system' | 'seq'>;

/** Links of one tenant. Writes are durable when they resolve. */
export interface TenantLinks {
  /** What stands there already is replaced. */
  put(rows: readonly LinkRow[]): Promise<void>;
  remove(places: readonly LinkPlace[]): Promise<void>;
  byEventId(eventId: string): Promise<LinkRow | null>;
  /** Those of these events that name numbers, in no order. */
  byEventIds(eventIds: readonly string[]): Promise<LinkRow[]>;
  /** Events that name one of the numbers, in no order; at most `limit` of all. */
  naming(keys: readonly NumberKey[], limit: number): Promise<LinkRow[]>;
  /** Events of these roles that name one of the numbers, the newest first; at most `limit` of each number and role. */
  sharing(keys: readonly NumberKey[], roles: readonly LinkRole[], limit: number): Promise<LinkRow[]>;
  /** Claims that name one of the numbers, in no order; at most `limit` of all. */
  claims(keys: readonly NumberKey[], limit: number): Promise<LinkRow[]>;
  /** Events that name one of the numbers and wait, at most `limit`. */
  waiting(keys: readonly NumberKey[], limit: number): Promise<LinkRow[]>;
  /** Whether decisions of prior authorizations are known at all. */
  hasDecisions(): Promise<boolean>;
  wait(place: LinkPlace, waiting: Pick<LinkRow, 'watched' | 'due_at' | 'opened'>): Promise<void>;
  clear(sourceSystem: string): Promise<void>;
}

export interface LinkStore {
  forTenant(tenantId: string): TenantLinks;
  /** Rows of all tenants whose time has come, the longest due first. */
  due(nowMs: number, limit: number): Promise<readonly LinkRow[]>;
}
