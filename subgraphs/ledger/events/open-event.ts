import { problem } from '../../../shared/errors/problem.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import type { TenantContext } from '../append/index.js';
import { DamagedEntry } from '../integrity/index.js';
import { type EventSight, type EventView, headerOf } from './read-events.js';

/** The values that open an event's commitments to a reader who recomputes them (evidence.md section 2). */
interface Opening {
  readonly event_id: string;
  readonly state: EventView['state'];
  /** The header that entry_hash covers. */
  readonly header: JsonObject;
  /** R as text, and its seed: only of an event that the reader may see whole. */
  readonly record: string | null;
  readonly seed: string | null;
  /** The redacted line: digests of hidden leaves, salts of the others. */
  readonly line: JsonObject | null;
}

/**
 * Opens the commitments of an event that the reader sees. The seed would let a reader test guesses of hidden values, so it
 * travels only with a whole record.
 *
 * @param shown the event as this reader sees it
 * @throws INTEGRITY_FAILURE, DISPOSED
 */
export async function openEvent(tenant: TenantContext, sight: EventSight, shown: EventView): Promise<Opening> {
  const row = await tenant.ledger.byEventId(shown.event_id);
  if (row === null) throw problem('NOT_FOUND');
  const { record, seed } = row;
  if (record === undefined || seed === undefined) throw new DamagedEntry(row);
  const header = { ...headerOf(row), v: 2 };
  const common = { event_id: row.event_id, state: shown.state, header };
  if (shown.state === 'REDACTED') {
    const line = shown.rendition?.['line'];
    return { ...common, record: null, seed: null, line: line !== undefined && isJsonObject(line) ? line : null };
  }
  // Without its hash of R a view is not the whole record: a fact shows its state under other scopes.
  if (shown.worm_sha256 === undefined && !sight.unredacted) return { ...common, record: null, seed: null, line: null };
  return { ...common, record: record.toString('utf8'), seed: seed.toString('hex'), line: null };
}
