import type { ExceptionKind } from '../../../shared/contracts/exceptions.js';
import type { LinkedEvent, LinkRole, NumberKey } from './domain/linked-event.js';

/** One event with its numbers and what it waits for. */
export interface LinkRow extends LinkedEvent {
  readonly tenant_id: string;
  readonly source_system: string;
  readonly seq: number;
  /** True if a later event with one of its numbers matters. */
  readonly watched: boolean;
  /** Evaluated then, whatever has arrived; null: only on arrivals. */
  readonly due_at: Date | null;
  /** Exceptions that were opened for it, to resolve when they end. */
  readonly opened: readonly ExceptionKind[];
}

export type LinkPlace = Pick<LinkRow, 'source_system' | 'seq'>;

/** Links of one tenant. Writes are durable when they resolve. */
export interface TenantLinks {
  /** Replaces stored rows. */
  put(rows: readonly LinkRow[]): Promise<void>;
  remove(places: readonly LinkPlace[]): Promise<void>;
  byEventId(eventId: string): Promise<LinkRow | null>;
  /** The rows of these events, in any order. */
  byEventIds(eventIds: readonly string[]): Promise<LinkRow[]>;
  /** Events with one of the numbers, in any order; at most `limit` in all. */
  naming(keys: readonly NumberKey[], limit: number): Promise<LinkRow[]>;
  /** Events of these roles with one of the numbers, newest first; at most `limit` per number and role. */
  sharing(keys: readonly NumberKey[], roles: readonly LinkRole[], limit: number): Promise<LinkRow[]>;
  /** Claims with one of the numbers, in any order; at most `limit` in all. */
  claims(keys: readonly NumberKey[], limit: number): Promise<LinkRow[]>;
  /** Waiting events with one of the numbers, at most `limit`. */
  waiting(keys: readonly NumberKey[], limit: number): Promise<LinkRow[]>;
  /** Whether the tenant has any prior authorization decisions. */
  hasDecisions(): Promise<boolean>;
  wait(place: LinkPlace, waiting: Pick<LinkRow, 'watched' | 'due_at' | 'opened'>): Promise<void>;
  clear(sourceSystem: string): Promise<void>;
}

export interface LinkStore {
  forTenant(tenantId: string): TenantLinks;
  /** Due rows of all tenants, the longest due first. */
  due(nowMs: number, limit: number): Promise<readonly LinkRow[]>;
}
