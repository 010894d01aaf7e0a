import { messageIdOf, type PlatformEvents, type PlatformMessage } from '../contracts/platform-events.js';
import type { SystemEntry, SystemLedger } from '../contracts/system-ledger.js';
import type { JsonObject } from '../json/strict-json.js';
import type { Effect, LedgerEntryEffect, PendingEffect, PlatformEventEffect } from './pending-effect.js';

/** Performs effects of its kind; resolves when they are durable. Doing one again must change nothing. */
export type Performer<E extends Effect> = (effect: E) => Promise<void>;

/** One performer for each kind that documents may carry; a subgraph adds those of its own kinds. */
export type Performers<E extends Effect = PendingEffect> = {
  readonly [K in E['kind']]: Performer<Extract<E, { readonly kind: K }>>;
};

export interface EffectPorts {
  readonly systemLedger: SystemLedger;
  readonly platformEvents: PlatformEvents;
}

export const performersOver = (ports: EffectPorts): Performers => ({
  'ledger-entry': (effect) => ports.systemLedger.append(effect.tenant_id, [entryOf(effect)]),
  'platform-event': (effect) => ports.platformEvents.publish(effect.tenant_id, [messageOf(effect)]),
});

const entryOf = ({ id, source_system, entry }: LedgerEntryEffect): SystemEntry => ({
  ...entry,
  source_system,
  source_record_id: id,
});

const messageOf = ({ id, type, at, data }: PlatformEventEffect): PlatformMessage => ({
  message_id: messageIdOf(id),
  type,
  at,
  data: data as unknown as JsonObject,
});
