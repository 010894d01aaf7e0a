import { problem } from '../../../shared/errors/problem.js';
import type { MemberTags } from '../../../shared/evidence/member-tag.js';
import { type FactDraft, factEntry } from '../../../shared/facts/fact.js';
import type { FactOutcome } from '../../../shared/facts/facts.js';
import { type IdKind, idLike } from '../../../shared/ids/ids.js';
import { appendEvents, type IngestDeps, type TenantContext, validateEntry } from '../append/index.js';

/** A document's fact as the fold of the state map reads it: members by their tags (docs/evidence.md "State map"). */
export function withAttachments(draft: FactDraft, tags: MemberTags): FactDraft {
  if (draft.subject.kind !== 'document') return draft;
  const attached = attachments(draft.refs, tags);
  const detached = attachments(draft.dropped_refs, tags);
  if (attached.length + detached.length === 0) return draft;
  const lists = {
    ...(attached.length === 0 ? {} : { attached }),
    ...(detached.length === 0 ? {} : { detached }),
  };
  return { ...draft, details: { ...draft.details, ...lists } };
}

function attachments(refs: readonly string[] = [], tags: MemberTags): string[] {
  const names = refs.flatMap((ref) => {
    if (ref.startsWith('event/')) return [ref];
    return ref.startsWith(MEMBER) ? [`${MEMBER}${tags.of(ref.slice(MEMBER.length))}`] : [];
  });
  return names.sort();
}

const MEMBER = 'member/';

/**
 * Appends facts. Of two facts after the same previous one the first wins; the other is answered with TAKEN. The same
 * draft again, after a crash or a lost answer, is answered with APPENDED and its place.
 *
 * @throws UNAVAILABLE if a write failed; the caller may safely retry.
 * @throws INTERNAL if a draft is rejected: the service made it, so the service is wrong.
 */
export async function appendFacts(
  deps: IngestDeps,
  tenant: TenantContext,
  drafts: readonly FactDraft[],
): Promise<readonly FactOutcome[]> {
  const items = drafts.map((draft, index) => ({
    index,
    envelope: validateEntry(deps, tenant.tenantId, factEntry(withAttachments(draft, tenant.memberTags))),
    ids: { next: (kind: IdKind) => idLike(kind, draft.fact_id) },
  }));
  const receipts = await appendEvents(deps, tenant, items);
  return drafts.map((_, index) => {
    const receipt = receipts.get(index);
    if (!receipt) throw problem('INTERNAL', { internal: 'an appended fact has no receipt' });
    const { status, source_system, sequence, entry_hash } = receipt;
    return {
      status: status === 'ACCEPTED' ? 'APPENDED' : 'TAKEN',
      place: { source_system, seq: sequence, entry_hash },
    };
  });
}
