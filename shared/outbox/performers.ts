import { messageIdOf, type PlatformEvents, type PlatformMessage } from '../contracts/platform-events.js';
import type { SystemEntry, SystemLedger } from '../contracts/system-ledger.js';
import { problem } from '../errors/problem.js';
import type { JsonObject } from '../json/strict-json.js';
import type { Effect, LedgerEntryEffect, PendingEffect, PlatformEventEffect } from './pending-effect.js';

/** Performs effects of its kind; resolves when they are durable. Doing one again must change nothing. */
export type Performer<E extends Effect> = (effect: E) => Promise<void>;

/** One performer for each kind of effect; a subgraph adds performers of its kinds. */
export type Performers<E extends Effect = PendingEffect> = {
  readonly [K in E['kind']]: Performer<Extract<E, { readonly kind: K }>>;
};

interface EffectPorts {
  readonly systemLedger: SystemLedger;
  readonly platformEvents: PlatformEvents;
}

export const performersOver = (ports: EffectPorts): Performers => ({
  'ledger-entry': async (effect) => {
    requirePendingEntry(effect);
    await ports.systemLedger.append(effect.tenant_id, [entryOf(effect)]);
  },
  'platform-event': (effect) => ports.platformEvents.publish(effect.tenant_id, [messageOf(effect)]),
});

/** Families of `_system` that rows may carry as pending entries. Disposals, redactions, seals and drops never come from a row. */
const PENDING_SYSTEM_FAMILIES: ReadonlySet<string> = new Set(['signing-key', 'ledger']);

/** @throws INTERNAL for an entry that an editor of the row must have written. */
export function requirePendingEntry({ source_system, entry }: LedgerEntryEffect): void {
  if (source_system !== '_system' || PENDING_SYSTEM_FAMILIES.has(entry.event_family)) return;
  throw problem('INTERNAL', { internal: `a row carries an entry of _system: ${entry.event_family}` });
}

const entryOf = ({ id, source_system, entry }: LedgerEntryEffect): SystemEntry => ({
  ...entry,
  source_system,
  source_record_id: id,
});

const messageOf = ({ id, type, at, data }: PlatformEventEffect): PlatformMessage => ({
  message_id: messageIdOf(id),
  type,
  at,
  // The catalogue of kinds admits text, numbers and lists of text only.
  data: data as unknown as JsonObject,
});
