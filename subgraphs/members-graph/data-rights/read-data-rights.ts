import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { CustodyFact } from '../../../shared/contracts/custody.js';
import { custodyActorOf } from '../../../shared/custody/custody-entry.js';
import { stopIfLeft } from '../../../shared/errors/caller-left.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { idsOfPerson } from '../records/index.js';
import { DISCLOSURE_ACTIONS, disclosed, disclosuresSha256, KEEPING_RIGHTS } from './domain.js';
import type { AccountingAnswer, Fulfilment, StoredDataRight } from './ports.js';
import type { DataRightDeps } from './steps.js';

type ReadDeps = Pick<DataRightDeps, 'dataRights' | 'directory' | 'clock'>;

/** Lists requests. Finds a member under every identifier of the person. */
export async function listDataRights(
  { dataRights, directory, clock }: ReadDeps,
  context: RequestContext,
  {
    where: { overdue, member_id, ...where },
    ...window
  }: Omit<ListQuery<StoredDataRight>, 'where'> & {
    readonly where: Partial<Pick<StoredDataRight, 'member_id' | 'status' | 'right'>> & { readonly overdue?: boolean };
  },
): Promise<Page<StoredDataRight>> {
  const tenantId = authorise(context, 'data-rights:read');
  const member_ids = member_id === undefined ? undefined : await idsOfPerson(directory, tenantId, member_id);
  const late = overdue === undefined ? null : { wanted: overdue, now: new Date(clock.nowMs()) };
  return dataRights(tenantId).pageOf(late, { ...window, where: { ...where, member_id: member_ids } });
}

/** Returns every identifier of members with open requests; deletions skip them. */
export async function membersUnderRequest(
  { dataRights, directory }: Pick<ReadDeps, 'dataRights' | 'directory'>,
  tenantId: TenantId,
): Promise<readonly string[]> {
  const asking = await dataRights(tenantId).membersAsking(KEEPING_RIGHTS);
  const people = await Promise.all(asking.map((memberId) => idsOfPerson(directory, tenantId, memberId)));
  return [...new Set(people.flat())];
}

/** @returns null for an unknown request and for another tenant's */
export async function getDataRight(
  { dataRights }: Pick<ReadDeps, 'dataRights'>,
  context: RequestContext,
  id: string,
): Promise<StoredDataRight | null> {
  const tenantId = authorise(context, 'data-rights:read');
  return isIdOf('dataRight', id) ? dataRights(tenantId).get(id) : null;
}

type Accounting = NonNullable<Fulfilment['accounting']>;

export interface Disclosure extends CustodyFact {
  readonly what: string;
}

/** A list of disclosures: the current one, or one returned earlier. */
interface Listed extends Pick<Accounting, 'from' | 'to'> {
  readonly memberIds: readonly string[];
  /** Last included position in the chain of custody. */
  readonly lastSeq: number;
  /** Of the client that asked; absent where the list becomes part of a record. */
  readonly signal?: AbortSignal | undefined;
}

/** Custody entries of one read. */
const PAGE = 500;

/** Reads disclosures after a position; skips the plan's own use. */
async function* disclosuresFrom(
  { custodyReads }: DataRightDeps,
  { tenant_id }: StoredDataRight,
  { from, to, memberIds, lastSeq, signal }: Listed,
  place: string | null,
): AsyncGenerator<Disclosure> {
  for (let cursor = place; ; ) {
    stopIfLeft(signal);
    const page = await custodyReads.ofMembers(tenant_id, {
      member_ids: memberIds,
      actions: DISCLOSURE_ACTIONS,
      from_ms: from.getTime(),
      to_ms: to.getTime(),
      cursor,
      limit: PAGE,
    });
    for (const fact of page.items) {
      const what = fact.seq > lastSeq ? null : disclosed(fact);
      if (what !== null) yield { ...fact, what };
    }
    if (page.next_cursor === null) return;
    cursor = page.next_cursor;
  }
}

/** Fixes the answer of a fulfilled request: its entries and their hash, so that the same list can be returned again. */
export async function fixedAnswer(
  deps: DataRightDeps,
  current: StoredDataRight,
  { from, to }: Accounting,
): Promise<AccountingAnswer> {
  const memberIds = await idsOfPerson(deps.directory, current.tenant_id, current.member_id);
  const listed = { from, to, memberIds, lastSeq: Number.POSITIVE_INFINITY };
  const hashes: string[] = [];
  let last_seq: number | null = null;
  for await (const { seq, entry_hash } of disclosuresFrom(deps, current, listed, null)) {
    hashes.push(entry_hash);
    last_seq = Math.max(last_seq ?? seq, seq);
  }
  return { member_ids: memberIds, last_seq, count: hashes.length, sha256: disclosuresSha256(hashes) };
}

/**
 * Lists the disclosures of a member in the six years before the request, oldest first. A fulfilled request returns its fixed
 * answer. Records the read in custody before returning any data.
 *
 * @throws CONFLICT for another right or before the start; UNAVAILABLE if the custody row cannot be written
 */
export async function listDisclosures(
  deps: DataRightDeps,
  context: RequestContext,
  { id, limit, cursor }: { readonly id: string; readonly limit: number; readonly cursor: string | undefined },
): Promise<Page<Disclosure> | null> {
  const current = await getDataRight(deps, context, id);
  if (current === null) return null;
  const accounting = current.fulfilment?.accounting;
  if (accounting === undefined) {
    throw problem('CONFLICT', { message: 'Only a started accounting of disclosures has a list; start it first.' });
  }
  const { answer, from, to } = accounting;
  const memberIds = answer?.member_ids ?? (await idsOfPerson(deps.directory, current.tenant_id, current.member_id));
  const lastSeq = answer === null ? Number.POSITIVE_INFINITY : (answer.last_seq ?? -1);
  const listed = { from, to, memberIds, lastSeq, signal: context.signal };
  const items: Disclosure[] = [];
  for await (const disclosure of disclosuresFrom(deps, current, listed, cursor ?? null)) {
    items.push(disclosure);
    if (items.length > limit) break;
  }
  await recordRead(deps, context, current, memberIds);
  const shown = items.slice(0, limit);
  return { items: shown, next_cursor: items.length > limit ? (shown.at(-1)?.place ?? null) : null };
}

async function recordRead(
  { custody, clock }: DataRightDeps,
  context: RequestContext,
  { tenant_id, data_right_id, requester }: StoredDataRight,
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
      detail: { data_right_id },
    },
  ]);
}
