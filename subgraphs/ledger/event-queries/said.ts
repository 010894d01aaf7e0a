import { eventKeysOf } from '../../../shared/event-keys/event-keys.js';
import { payloadOf } from '../../../shared/event-keys/payload-codes.js';
import { statedAmounts } from '../../../shared/event-keys/stated-amounts.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import type { KeyedPlace } from '../event-keys/index.js';
import type { EventView } from '../events/index.js';
import type { Said } from './domain/index.js';

/** Returns what an event says in the part that its reader may see. */
export const saidInView = (view: EventView): Said => ({
  event_id: view.event_id,
  keys: new Set(eventKeysOf(view)),
  event_type: String(view['event_type']).toLowerCase(),
  source_system: String(view['source_system']),
  at_ms: instantOf(String(view['event_effective_timestamp'])) ?? 0,
  ...statedAmounts(payloadOf(view)),
});

/** Returns what an event says in the search index, without values that a redaction hides. */
export const saidAtPlace = (place: KeyedPlace): Said => ({
  event_id: place.event_id,
  keys: new Set(place.keys),
  event_type: place.event_type ?? '',
  source_system: place._id.source_system,
  at_ms: place.effective_at.getTime(),
  charge_cents: place.charge_cents ?? null,
  paid_cents: place.paid_cents ?? null,
});
