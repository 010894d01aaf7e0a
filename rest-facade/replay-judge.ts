import type { Principal } from '../shared/auth/context.js';
import type { Documents } from '../shared/contracts/documents.js';
import { narrowedSince } from '../shared/disclosure/narrowed.js';
import { readsOriginals } from '../shared/disclosure/originals.js';
import type { Facts } from '../shared/facts/facts.js';
import type { FirstAnswer } from '../shared/idempotency/answer-store.js';
import type { TenantId } from '../shared/ids/tenant.js';

// A kept answer of a write is given again only while nothing that it names has been hidden (api.md section 0, 2).

/** HIDDEN: a record that it names was redacted since; GONE: one is disposed of. */
type ReplayVerdict = 'SAME' | 'HIDDEN' | 'GONE';

export interface JudgeDeps {
  readonly facts: Pick<Facts, 'changedSince'>;
  readonly documents: Pick<Documents, 'list'>;
}

const RECORD_IDS = /\b(?:evt|doc)_[0-9A-HJKMNP-TV-Z]{26}\b/g;
const DOCUMENTS_A_PAGE = 500;

/** @throws UNAVAILABLE; then nothing is given again */
export async function judgeReplay(
  deps: JudgeDeps,
  tenantId: TenantId,
  { scopes }: Pick<Principal, 'scopes'>,
  { body }: FirstAnswer,
  claimedAtMs: number,
): Promise<ReplayVerdict> {
  const named = [...new Set(Buffer.from(body).toString('latin1').match(RECORD_IDS) ?? [])];
  if (named.length === 0) return 'SAME';
  const narrowed = await narrowedSince(deps, tenantId, claimedAtMs);
  if (named.some((id) => narrowed.disposedEvents.has(id))) return 'GONE';
  let isHidden = named.some((id) => narrowed.redactedEvents.has(id));
  const documentIds = named.filter((id) => narrowed.documents.has(id));
  for (let from = 0; from < documentIds.length; from += DOCUMENTS_A_PAGE) {
    const filter = { documentIds: documentIds.slice(from, from + DOCUMENTS_A_PAGE) };
    const { items } = await deps.documents.list(tenantId, filter, null, DOCUMENTS_A_PAGE);
    if (items.some(({ status }) => status === 'DISPOSED')) return 'GONE';
    isHidden ||= items.some(({ rendition }) => rendition !== null);
  }
  return isHidden && !readsOriginals({ scopes }) ? 'HIDDEN' : 'SAME';
}
