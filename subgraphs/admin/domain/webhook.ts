import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import { stateMachine } from '../../../shared/state-machine/state-machine.js';

// A subscription to platform events (specification "Webhook subscription", api.md section 7 "Webhooks").

export const WEBHOOK_STATUSES = ['ACTIVE', 'PAUSED', 'SUSPENDED', 'DELETED'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** What a caller is shown: a deleted subscription is a 404. */
export const SHOWN_STATUSES = ['ACTIVE', 'PAUSED', 'SUSPENDED'] as const;
export type ShownStatus = (typeof SHOWN_STATUSES)[number];

/** `suspend` is the service's own act; the others are callers'. */
export type WebhookAction = 'create' | 'update' | 'pause' | 'enable' | 'rotate-secret' | 'suspend' | 'delete';

const write = { scope: 'webhooks:write' } as const;
const update = { ...write, action: 'update', emits: ['webhook.updated'] } as const;
const rotate = { ...write, action: 'rotate-secret', emits: ['webhook.secret-rotated'] } as const;
const remove = { ...write, action: 'delete', to: 'DELETED', emits: ['webhook.deleted'] } as const;
const enable = { ...write, action: 'enable', to: 'ACTIVE' } as const;
const pause = { ...write, action: 'pause', to: 'PAUSED' } as const;

/** Only an ACTIVE subscription is sent anything. Deleted ones stay as records, for the entries that speak of them. */
export const WEBHOOK_MACHINE = stateMachine<WebhookStatus, WebhookAction>('webhook', [
  { from: null, action: 'create', to: 'ACTIVE', ...write, emits: ['webhook.created'] },
  { from: 'ACTIVE', to: 'ACTIVE', ...update },
  { from: 'PAUSED', to: 'PAUSED', ...update },
  { from: 'SUSPENDED', to: 'SUSPENDED', ...update },
  { from: 'ACTIVE', ...pause, emits: ['webhook.paused'] },
  { from: 'SUSPENDED', ...pause, emits: ['webhook.paused'] },
  { from: 'PAUSED', ...enable, emits: ['webhook.enabled'] },
  { from: 'SUSPENDED', ...enable, emits: ['webhook.enabled'] },
  // Again changes nothing, so that a request may be sent again.
  { from: 'ACTIVE', ...enable, emits: [] },
  { from: 'PAUSED', ...pause, emits: [] },
  { from: 'ACTIVE', action: 'suspend', to: 'SUSPENDED', ...write, emits: ['webhook.suspended'] },
  { from: 'ACTIVE', to: 'ACTIVE', ...rotate },
  { from: 'PAUSED', to: 'PAUSED', ...rotate },
  { from: 'SUSPENDED', to: 'SUSPENDED', ...rotate },
  { from: 'ACTIVE', ...remove },
  { from: 'PAUSED', ...remove },
  { from: 'SUSPENDED', ...remove },
]);

/** Why the service suspends a subscription: the receiver answered 410, or failed for five days. */
export const SUSPENSION_REASONS = ['GONE', 'FAILING'] as const;
export type SuspensionReason = (typeof SUSPENSION_REASONS)[number];

/** How a subscription has fared: of scheduled deliveries alone, tests do not count. */
export interface WebhookHealth {
  /** Failed attempts since the last success. */
  readonly consecutive_failures: number;
  /** Of these, the first; null when there is none. */
  readonly first_failure_at: Date | null;
  readonly last_failure_at: Date | null;
  readonly last_success_at: Date | null;
  /** When an operator was told of this run of failures; null while nobody was. */
  readonly warned_at: Date | null;
}

export const UNTRIED: WebhookHealth = {
  consecutive_failures: 0,
  first_failure_at: null,
  last_failure_at: null,
  last_success_at: null,
  warned_at: null,
};

/** Nothing but failures for this long suspends a subscription (api.md section 7). */
export const SUSPEND_AFTER_FAILING_MS = 5 * 24 * 60 * 60 * 1000;

export const hasFailedForTooLong = ({ first_failure_at }: WebhookHealth, atMs: number): boolean =>
  first_failure_at !== null && atMs - first_failure_at.getTime() >= SUSPEND_AFTER_FAILING_MS;

/** At half of it an operator is told, so that no suspension comes unannounced. */
export const WARN_AFTER_FAILING_MS = SUSPEND_AFTER_FAILING_MS / 2;

/** Whether somebody is to be told of a run of failures that nobody was told of. */
export const isToBeWarned = ({ first_failure_at, warned_at }: WebhookHealth, atMs: number): boolean =>
  first_failure_at !== null && warned_at === null && atMs - first_failure_at.getTime() >= WARN_AFTER_FAILING_MS;

export const ANY_TYPE = '*';

/** `*` is every kind, `bundle.*` every kind of that family, anything else the kind of that name. */
export const wantsType = (eventTypes: readonly string[], kind: string): boolean =>
  eventTypes.some((pattern) => matches(pattern, kind));

const matches = (pattern: string, kind: string): boolean =>
  pattern === ANY_TYPE || pattern === kind || (pattern.endsWith('.*') && kind.startsWith(pattern.slice(0, -1)));

/** Events of reserved partitions go to nobody who does not name the partition. */
export const wantsSource = (sourceSystems: readonly string[] | null, sourceSystem: string): boolean =>
  sourceSystems === null ? !isReservedSourceSystem(sourceSystem) : sourceSystems.includes(sourceSystem);

/** Patterns that match no kind of the catalogue: unknown kinds are refused at registration. */
export const unknownTypes = (eventTypes: readonly string[], kinds: readonly string[]): string[] =>
  eventTypes.filter((pattern) => !kinds.some((kind) => matches(pattern, kind)));
