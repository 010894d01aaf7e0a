import type { SystemEntry, SystemLedger } from '../contracts/system-ledger.js';
import type { EffectKind, LedgerEntryEffect, PendingEffect } from './pending-effect.js';

/** Performs effects of its kind, in order; resolves when they are durable. Doing one again must change nothing. */
export type Performer<E extends PendingEffect> = (effect: E) => Promise<void>;

export type Performers = { readonly [K in EffectKind]: Performer<Extract<PendingEffect, { readonly kind: K }>> };

export const performersOver = (ports: { readonly systemLedger: SystemLedger }): Performers => ({
  'ledger-entry': (effect) => ports.systemLedger.append(effect.tenant_id, [entryOf(effect)]),
});

const entryOf = ({ id, source_system, entry }: LedgerEntryEffect): SystemEntry => ({
  ...entry,
  source_system,
  source_record_id: id,
});
