import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/json/strict-json.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { contentOf, isAltered } from '../append/domain/index.js';
import type { TenantLedger } from '../append/index.js';
import { type WaitingEvent, withWarnings } from './message-parts.js';

/** Formats with control numbers outside of the part that an event is made of. */
const WITH_CONTROL_NUMBERS: ReadonlySet<JsonValue | undefined> = new Set(['x12']);
/** The most rows that are compared with one slice. */
const MAX_ROWS = 1_000;
/** The most contents of one message that are remembered; the oldest is forgotten first. */
const MAX_REMEMBERED = 20_000;

/**
 * Finds events with the content of an earlier event under other control numbers. Such an event is stored, because two
 * messages state it, and warns with the first one. The lookup needs a member: it follows the index of members.
 */
export class KnownContent {
  readonly #ledger: TenantLedger;
  /** The first item of this message with a content. */
  readonly #inMessage = new Map<string, { readonly index: number; readonly recordId: unknown }>();

  constructor(ledger: TenantLedger) {
    this.#ledger = ledger;
  }

  /** Returns the events in order, each with a warning if its content is known. Called in the order of slices. */
  async mark(events: readonly WaitingEvent[]): Promise<readonly WaitingEvent[]> {
    const wanted = events.flatMap(({ append: { envelope } }) => (keyOf(envelope) === null ? [] : [envelope]));
    if (wanted.length === 0) return events;
    const stored = await this.#stored(wanted);
    return events.map((event) => {
      const { item, append } = event;
      const key = keyOf(append.envelope);
      if (key === null) return event;
      const recordId = append.envelope['source_record_id'];
      const rows = stored.get(key) ?? [];
      const earlier = this.#inMessage.get(key);
      // The same record id is the same event, which the append answers with DUPLICATE.
      if ([...rows, ...(earlier ? [earlier] : [])].some((known) => known.recordId === recordId)) return event;
      const [first] = rows;
      if (earlier === undefined) this.#remember(key, { index: item.index, recordId });
      if (first !== undefined) return warned(event, `it was ingested before as ${first.eventId}`);
      return earlier === undefined ? event : warned(event, `it is item ${earlier.index} of this message`);
    });
  }

  #remember(key: string, item: { readonly index: number; readonly recordId: unknown }): void {
    this.#inMessage.set(key, item);
    if (this.#inMessage.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#inMessage.keys();
    if (oldest !== undefined) this.#inMessage.delete(oldest);
  }

  /** The stored events by content, the first one first. */
  async #stored(envelopes: readonly JsonObject[]): Promise<Map<string, { eventId: string; recordId: unknown }[]>> {
    const members = new Set(envelopes.map(({ member_id }) => String(member_id)));
    const times = new Set(envelopes.map((envelope) => instantOf(String(envelope['event_effective_timestamp'])) ?? 0));
    const found = new Map<string, { eventId: string; recordId: unknown }[]>();
    for (const row of await this.#ledger.ofMembersAt([...members], [...times], MAX_ROWS)) {
      const content = row.from_raw === true && !isAltered(row) ? contentOf(row) : undefined;
      const key = content === undefined ? null : keyOf(content);
      if (content === undefined || key === null) continue;
      const known = found.get(key) ?? [];
      known.push({ eventId: row.event_id, recordId: content['source_record_id'] });
      found.set(key, known);
    }
    return found;
  }
}

/** What makes two events one statement: sender, type, member, time and content. Null for an event that is not looked up. */
function keyOf({ payload, ...envelope }: JsonObject): string | null {
  const raw = isJsonObject(payload) ? payload['raw'] : undefined;
  if (!isJsonObject(raw) || envelope['member_id'] === undefined || !WITH_CONTROL_NUMBERS.has(raw['format']))
    return null;
  const { source_system, event_type, member_id, event_effective_timestamp } = envelope;
  const time = instantOf(String(event_effective_timestamp)) ?? 0;
  return JSON.stringify([source_system, event_type, member_id, time, raw['transaction'], raw['content_sha256']]);
}

const warned = (event: WaitingEvent, where: string): WaitingEvent =>
  withWarnings(event, [
    { code: 'CONTENT_REPEATED', message: `the same content came before under another record id: ${where}` },
  ]);
