import type { ChainHead } from '../../../shared/contracts/ledger-feed.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import { stateMachine } from '../../../shared/state-machine/state-machine.js';

// A webhook: a subscription to platform events (specification "Webhook subscription", api.md section 7 "Webhooks").

/** Statuses that answers show; a deleted webhook is a 404. */
export const SHOWN_STATUSES = ['ACTIVE', 'PAUSED', 'SUSPENDED'] as const;
export type ShownStatus = (typeof SHOWN_STATUSES)[number];
export type WebhookStatus = ShownStatus | 'DELETED';

export const isShown = (status: WebhookStatus): status is ShownStatus => status !== 'DELETED';

/** The service takes the action `suspend`, callers take the others. */
export type WebhookAction = 'create' | 'update' | 'pause' | 'enable' | 'rotate-secret' | 'suspend' | 'delete';

const write = { scope: 'webhooks:own' } as const;
const update = { ...write, action: 'update', emits: ['webhook.updated'] } as const;
const rotate = { ...write, action: 'rotate-secret', emits: ['webhook.secret-rotated'] } as const;
const remove = { ...write, action: 'delete', to: 'DELETED', emits: ['webhook.deleted'] } as const;
const enable = { ...write, action: 'enable', to: 'ACTIVE' } as const;
const pause = { ...write, action: 'pause', to: 'PAUSED' } as const;

/** Only an ACTIVE webhook receives deliveries. Deleted webhooks stay stored, because ledger entries name them. */
export const WEBHOOK_MACHINE = stateMachine<WebhookStatus, WebhookAction>('webhook', [
  { from: null, action: 'create', to: 'ACTIVE', ...write, emits: ['webhook.created'] },
  { from: 'ACTIVE', to: 'ACTIVE', ...update },
  { from: 'PAUSED', to: 'PAUSED', ...update },
  { from: 'SUSPENDED', to: 'SUSPENDED', ...update },
  { from: 'ACTIVE', ...pause, emits: ['webhook.paused'] },
  { from: 'SUSPENDED', ...pause, emits: ['webhook.paused'] },
  { from: 'PAUSED', ...enable, emits: ['webhook.enabled'] },
  { from: 'SUSPENDED', ...enable, emits: ['webhook.enabled'] },
  // A repeated request changes nothing.
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

/** Reasons of a suspension: the receiver answered 410, or failed for five days. */
export const SUSPENSION_REASONS = ['GONE', 'FAILING'] as const;
export type SuspensionReason = (typeof SUSPENSION_REASONS)[number];

/** Health of a webhook, from scheduled deliveries; tests do not count. */
export interface WebhookHealth {
  /** Failed attempts since the last success. */
  readonly consecutive_failures: number;
  /** The first of these failures, or null. */
  readonly first_failure_at: Date | null;
  readonly last_failure_at: Date | null;
  readonly last_success_at: Date | null;
  /** Time of the warning about this run of failures, or null. */
  readonly warned_at: Date | null;
}

export const NO_ATTEMPTS: WebhookHealth = {
  consecutive_failures: 0,
  first_failure_at: null,
  last_failure_at: null,
  last_success_at: null,
  warned_at: null,
};

/** Only failures for this long suspend a webhook (api.md section 7). */
export const SUSPEND_AFTER_FAILING_MS = 5 * 24 * 60 * 60 * 1000;

export const hasFailedForTooLong = ({ first_failure_at }: WebhookHealth, atMs: number): boolean =>
  first_failure_at !== null && atMs - first_failure_at.getTime() >= SUSPEND_AFTER_FAILING_MS;

/** Half of it opens a warning, so that an operator knows before the suspension. */
const WARN_AFTER_FAILING_MS = SUSPEND_AFTER_FAILING_MS / 2;

/** Returns whether a run of failures without a warning needs one. */
export const needsWarning = ({ first_failure_at, warned_at }: WebhookHealth, atMs: number): boolean =>
  first_failure_at !== null && warned_at === null && atMs - first_failure_at.getTime() >= WARN_AFTER_FAILING_MS;

const ANY_TYPE = '*';

/** `*` is every kind, `bundle.*` every kind of that family, anything else the kind of that name. */
export const wantsType = (eventTypes: readonly string[], kind: string): boolean =>
  eventTypes.some((pattern) => matches(pattern, kind));

const matches = (pattern: string, kind: string): boolean =>
  pattern === ANY_TYPE || pattern === kind || (pattern.endsWith('.*') && kind.startsWith(pattern.slice(0, -1)));

/** Events of reserved partitions go only to webhooks that name the partition. */
export const wantsSource = (sourceSystems: readonly string[] | null, sourceSystem: string): boolean =>
  sourceSystems === null ? !isReservedSourceSystem(sourceSystem) : sourceSystems.includes(sourceSystem);

/** Returns the patterns that match no kind of the catalogue; a webhook with one is rejected. */
export const unknownTypes = (eventTypes: readonly string[], kinds: readonly string[]): string[] =>
  eventTypes.filter((pattern) => !kinds.some((kind) => matches(pattern, kind)));

/** The members that decide which ledger events a webhook receives. */
interface Following {
  readonly status: WebhookStatus;
  readonly event_types: readonly string[];
  readonly source_systems: readonly string[] | null;
  readonly ledger_from: readonly ChainHead[];
}

/** Returns whether a webhook receives ledger events. */
export const followsLedger = ({ event_types }: Pick<Following, 'event_types'>): boolean =>
  wantsType(event_types, 'event.ingested');

/** Returns the sequence after which a webhook receives the entries of a chain. */
export const fromOf = ({ ledger_from }: Pick<Following, 'ledger_from'>, sourceSystem: string): number =>
  ledger_from.find((head) => head.source_system === sourceSystem)?.sequence ?? 0;

/**
 * Returns the positions from which a changed webhook follows the chains. A chain that it already received continues; any other
 * starts at its head, so that neither history nor events of a pause are sent.
 */
export const ledgerFromOf = (before: Following | null, heads: readonly ChainHead[]): readonly ChainHead[] =>
  heads.map(({ source_system, sequence }) => ({
    source_system,
    sequence: before !== null && isFollowed(before, source_system) ? fromOf(before, source_system) : sequence,
  }));

const isFollowed = (before: Following, sourceSystem: string): boolean =>
  before.status === 'ACTIVE' && followsLedger(before) && wantsSource(before.source_systems, sourceSystem);
