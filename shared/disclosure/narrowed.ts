import type { Facts } from '../facts/facts.js';
import type { TenantId } from '../ids/tenant.js';

// Something that was disclosed before, in a sealed archive or an answer, is disclosed again only after a look at what has been
// hidden since. Facts say so: they are proven, and reading them by time costs little where nothing was hidden.

/** Records that may have been redacted or disposed of since a time; the caller judges those that it is about to disclose. */
export interface Narrowed {
  readonly redactedEvents: ReadonlySet<string>;
  readonly disposedEvents: ReadonlySet<string>;
  /** Documents that changed in any way. */
  readonly documents: ReadonlySet<string>;
  /** Whether any consent, or the policy of consents, changed. */
  readonly consent: boolean;
}

/** The clocks of two processes differ by less. */
const CLOCK_MARGIN_MS = 600_000;

const KINDS = ['event-redaction', 'disposal', 'document-redaction', 'document', 'consent', 'consent-policy'] as const;

/** @throws UNAVAILABLE; then nothing is disclosed */
export async function narrowedSince(
  { facts }: { readonly facts: Pick<Facts, 'changedSince'> },
  tenantId: TenantId,
  sinceMs: number,
): Promise<Narrowed> {
  const redactedEvents = new Set<string>();
  const disposedEvents = new Set<string>();
  const documents = new Set<string>();
  let consent = false;
  for (const { kind, id } of await facts.changedSince(tenantId, KINDS, sinceMs - CLOCK_MARGIN_MS)) {
    if (kind === 'event-redaction') redactedEvents.add(id);
    else if (kind === 'disposal') disposedEvents.add(id);
    else if (kind === 'document-redaction' || kind === 'document') documents.add(id);
    else consent = true;
  }
  return { redactedEvents, disposedEvents, documents, consent };
}
