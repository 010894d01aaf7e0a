import type { ChainHead } from '../../../shared/contracts/ledger-feed.js';
import { type WebhookStatus, wantsSource, wantsType } from './webhook.js';

/** What of a subscription decides which events of the ledger it is told of. */
export interface Following {
  readonly status: WebhookStatus;
  readonly event_types: readonly string[];
  readonly source_systems: readonly string[] | null;
  readonly ledger_from: readonly ChainHead[];
}

/** Whether it is told of events of the ledger at all. */
export const followsLedger = ({ event_types }: Pick<Following, 'event_types'>): boolean =>
  wantsType(event_types, 'event.ingested');

/** The last entry of a chain that it is not told of. */
export const fromOf = ({ ledger_from }: Pick<Following, 'ledger_from'>, sourceSystem: string): number =>
  ledger_from.find((head) => head.source_system === sourceSystem)?.sequence ?? 0;

/**
 * From where a subscription is told of the ledger once it is changed. A chain that it was told of before goes on as it
 * was; any other begins at its head, so that neither the history nor what came during a pause is sent.
 */
export const ledgerFromOf = (before: Following | null, heads: readonly ChainHead[]): readonly ChainHead[] =>
  heads.map(({ source_system, sequence }) => ({
    source_system,
    sequence: before !== null && isTold(before, source_system) ? fromOf(before, source_system) : sequence,
  }));

const isTold = (before: Following, sourceSystem: string): boolean =>
  before.status === 'ACTIVE' && followsLedger(before) && wantsSource(before.source_systems, sourceSystem);
