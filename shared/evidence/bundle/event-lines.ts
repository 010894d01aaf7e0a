import { canonicalJson } from '../../json/canonical.js';

/**
 * The line of events.jsonl for a disposed event. Its header is in ledger.tsv, with the entry of `_system` that explains
 * the hole in chain.tsv. Fully disclosed events give R, redacted ones their redacted line (evidence.md section 2).
 */
export const disposedLine = (eventId: string): string => canonicalJson({ event_id: eventId, state: 'DISPOSED' });
