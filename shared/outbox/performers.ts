import type { SystemEntry, SystemLedger } from '../contracts/system-ledger.js';
import type { Effect, LedgerEntryEffect, PendingEffect } from './pending-effect.js';

/** Performs effects of its kind; resolves when they are durable. Doing one again must change nothing. */
export type Performer<E extends Effect> = (effect: E) => Promise<void>;

/** One performer for each kind that documents may carry; a subgraph adds those of its own kinds. */
export type Performers<E extends Effect = PendingEffect> = {
  readonly [K in E['kind']]: Performer<Extract<E, { readonly kind: K }>>;
};

export const performersOver = (ports: { readonly systemLedger: SystemLedger }): Performers => ({
  'ledger-entry': (effect) => ports.systemLedger.append(effect.tenant_id, [entryOf(effect)]),
});

const entryOf = ({ id, source_system, entry }: LedgerEntryEffect): SystemEntry => ({
  ...entry,
  source_system,
  source_record_id: id,
});
