import type { RequestContext } from '../../../../shared/auth/context.js';
import { isoTime } from '../../../../shared/clock/clock.js';
import type { CustodyFact } from '../../../../shared/contracts/custody-reads.js';
import { custodyActorOf } from '../../../../shared/custody/custody-entry.js';
import { problem } from '../../../../shared/errors/problem.js';
import type { Page } from '../../../../shared/pagination/cursor.js';
import { DISCLOSURE_ACTIONS, disclosed, disclosuresSha256 } from '../../domain/data-rights/disclosures.js';
import type { AccountingAnswer, Fulfilment, StoredDataRight } from '../ports/data-right-store.js';
import { personOf } from '../records/person-of.js';
import type { DataRightDeps } from './data-right-deps.js';
import { getDataRight } from './read-data-rights.js';

type Accounting = NonNullable<Fulfilment['accounting']>;

export interface Disclosure extends CustodyFact {
  readonly what: string;
}

/** Which list it is: as it stands now, or as it was given. */
interface Listed extends Pick<Accounting, 'from' | 'to'> {
  readonly memberIds: readonly string[];
  /** Nothing that was recorded behind it. */
  readonly lastSeq: number;
}

/** Entries of custody that are looked at in one go. */
const LOOKED_AT_ONCE = 500;

/** Disclosures behind a place, one after another; what is the plan's own use stands between them and is left out. */
async function* disclosuresFrom(
  { custodyReads }: DataRightDeps,
  { tenant_id }: StoredDataRight,
  { from, to, memberIds, lastSeq }: Listed,
  place: string | null,
): AsyncGenerator<Disclosure> {
  for (let cursor = place; ; ) {
    const page = await custodyReads.ofMembers(tenant_id, {
      member_ids: memberIds,
      actions: DISCLOSURE_ACTIONS,
      from_ms: from.getTime(),
      to_ms: to.getTime(),
      cursor,
      limit: LOOKED_AT_ONCE,
    });
    for (const fact of page.items) {
      const what = fact.seq > lastSeq ? null : disclosed(fact);
      if (what !== null) yield { ...fact, what };
    }
    if (page.next_cursor === null) return;
    cursor = page.next_cursor;
  }
}

/** What is given when a request is fulfilled, so that it can be shown again: which entries they were, and their hash. */
export async function fixedAnswer(
  deps: DataRightDeps,
  standing: StoredDataRight,
  { from, to }: Accounting,
): Promise<AccountingAnswer> {
  const memberIds = await personOf(deps.directory, standing.tenant_id, standing.member_id);
  const listed = { from, to, memberIds, lastSeq: Number.POSITIVE_INFINITY };
  const hashes: string[] = [];
  let last_seq: number | null = null;
  for await (const { seq, entry_hash } of disclosuresFrom(deps, standing, listed, null)) {
    hashes.push(entry_hash);
    last_seq = Math.max(last_seq ?? seq, seq);
  }
  return { member_ids: memberIds, last_seq, count: hashes.length, sha256: disclosuresSha256(hashes) };
}

/**
 * Who was given what of a member in the six years before the request, oldest first: as it stands while the request is worked
 * on, and as it was given once it is fulfilled. The read is in custody before anything of it is given out.
 *
 * @throws CONFLICT for another right, and before the work has begun; UNAVAILABLE: no custody row, no answer
 */
export async function listDisclosures(
  deps: DataRightDeps,
  context: RequestContext,
  { id, limit, cursor }: { readonly id: string; readonly limit: number; readonly cursor: string | undefined },
): Promise<Page<Disclosure> | null> {
  const standing = await getDataRight(deps, context, id);
  if (standing === null) return null;
  const accounting = standing.fulfilment?.accounting;
  if (accounting === undefined) {
    throw problem('CONFLICT', { message: 'There is an accounting of disclosures alone, once its work has begun.' });
  }
  const { answer, from, to } = accounting;
  const memberIds = answer?.member_ids ?? (await personOf(deps.directory, standing.tenant_id, standing.member_id));
  const lastSeq = answer === null ? Number.POSITIVE_INFINITY : (answer.last_seq ?? -1);
  const listed = { from, to, memberIds, lastSeq };
  const items: Disclosure[] = [];
  for await (const disclosure of disclosuresFrom(deps, standing, listed, cursor ?? null)) {
    items.push(disclosure);
    if (items.length > limit) break;
  }
  await recordRead(deps, context, standing, memberIds);
  const shown = items.slice(0, limit);
  return { items: shown, next_cursor: items.length > limit ? (shown.at(-1)?.place ?? null) : null };
}

async function recordRead(
  { custody, clock }: DataRightDeps,
  context: RequestContext,
  { tenant_id, id, requester }: StoredDataRight,
  member_ids: readonly string[],
): Promise<void> {
  await custody.record(tenant_id, [
    {
      action: 'READ_DISCLOSURES',
      subject: { kind: 'MEMBER', id: member_ids[0] ?? '' },
      member_ids,
      actor: custodyActorOf(context),
      at: isoTime(clock.nowMs()),
      request_id: context.requestId,
      ...(requester.name === null ? {} : { recipient: requester.name }),
      detail: { data_right_id: id },
    },
  ]);
}
