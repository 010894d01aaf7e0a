import { type DisposalCursor, type DisposalPlan, isPastAge } from '../../../shared/contracts/disposal.js';
import type { ErasureOrder, ErasureState } from '../../../shared/contracts/erasures.js';
import type { HoldSubject } from '../../../shared/contracts/holds.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { StoredDocument } from '../documents/index.js';
import { type DocumentSubject, type EventSubject, eventSubject } from '../holds/domain/index.js';
import { documentSubjects } from '../holds/index.js';
import { readRules } from './change-rules.js';
import { countDisposed } from './dispose.js';
import { ErasureTally } from './domain/erasure-tally.js';
import { documentAgedAtMs, eventCutoffs, eventFreeAtMs, isAgedDocument, type RetentionRules } from './domain/rules.js';
import {
  BATCH_EVENTS,
  type DisposalContents,
  disposablePage,
  documentContents,
  eventContents,
  everyPage,
  passGate,
} from './pass-gate.js';
import type { SweepDeps } from './sweep-tenant.js';

/** Time budget of one run; the caller repeats it while more is left. */
const RUN_BUDGET_MS = 10_000;

/** One run of an erasure. */
interface Erasing {
  readonly deps: SweepDeps;
  readonly tenantId: TenantId;
  readonly order: ErasureOrder;
  readonly rules: RetentionRules;
  readonly nowMs: number;
  readonly tally: ErasureTally;
  readonly isOver: () => boolean;
}

/** Candidates: those that retention frees now, and the others with how to count them. */
interface Candidates<S> {
  readonly free: readonly S[];
  readonly kept: readonly { readonly subject: S; readonly count: () => void }[];
}

/**
 * Disposes of one person's records that retention frees now and no hold covers, through the gate and with certificates,
 * as a sweep does.
 * Each run checks the age again. Counts what stays by reason.
 */
export async function eraseMember(deps: SweepDeps, tenantId: TenantId, order: ErasureOrder): Promise<ErasureState> {
  const untilMs = deps.clock.monotonicMs() + RUN_BUDGET_MS;
  const erasing: Erasing = {
    deps,
    tenantId,
    order,
    rules: await readRules(deps.rules, tenantId),
    nowMs: deps.clock.nowMs(),
    tally: new ErasureTally(),
    isOver: () => deps.clock.monotonicMs() > untilMs,
  };
  const complete = (await eraseEvents(erasing)) && (await eraseDocuments(erasing, { member_ids: order.member_ids }));
  const disposed = await countDisposed(deps, tenantId, order.erasure_id);
  return { complete, disposed, refused: erasing.tally.refusals() };
}

/**
 * Erases page by page; before each page the documents attached to its events, because afterwards nothing links them to
 * the member.
 */
async function eraseEvents(erasing: Erasing): Promise<boolean> {
  const { deps, tenantId, order, rules, nowMs, tally } = erasing;
  const cutoffs = eventCutoffs(rules, nowMs);
  for (let after: DisposalCursor | null = null; ; ) {
    if (erasing.isOver()) return false;
    const from: DisposalCursor | null = after;
    const page = (): Promise<DisposalPlan> =>
      deps.ledgerDisposal.ofMembers(tenantId, order.member_ids, from, BATCH_EVENTS);
    const { candidates, damaged, next } = await page();
    for (const id of damaged) tally.damaged('EVENT', id);
    const event_ids = candidates.map(({ event_id }) => event_id);
    if (event_ids.length > 0 && !(await eraseDocuments(erasing, { event_ids }))) return false;
    const candidatesOf = async (): Promise<Candidates<EventSubject>> => {
      const subjects = (await page()).candidates.map(eventSubject);
      const isFree = ({ event }: EventSubject): boolean => isPastAge(event, cutoffs);
      const kept = subjects.filter((subject) => !isFree(subject));
      return {
        free: subjects.filter(isFree),
        kept: kept.map((subject) => ({
          subject,
          count: () => tally.retained('EVENT', subject.id, eventFreeAtMs(rules, subject.event)),
        })),
      };
    };
    await passCandidates(erasing, candidatesOf, (gone) => eventContents(rules, gone));
    if (next === null) return true;
    after = next;
  }
}

function eraseDocuments(
  erasing: Erasing,
  among: { readonly member_ids: readonly string[] } | { readonly event_ids: readonly string[] },
): Promise<boolean> {
  const { deps, tenantId, rules } = erasing;
  return everyPage<string>(erasing.isOver, async (after) => {
    let next: string | null = null;
    const candidatesOf = async (): Promise<Candidates<DocumentSubject<StoredDocument>>> => {
      const page = await disposablePage(deps.documents, tenantId, { where: among }, after);
      next = page.next_cursor;
      for (const id of page.damaged) erasing.tally.damaged('DOCUMENT', id);
      return documentCandidates(erasing, await documentSubjects(deps, tenantId, page.items));
    };
    await passCandidates(erasing, candidatesOf, (gone) => documentContents(rules, gone));
    return next;
  });
}

function documentCandidates(
  { rules, nowMs, tally, order }: Erasing,
  subjects: readonly DocumentSubject<StoredDocument>[],
): Candidates<DocumentSubject<StoredDocument>> {
  const person = new Set(order.member_ids);
  const free: DocumentSubject<StoredDocument>[] = [];
  const kept: { subject: DocumentSubject<StoredDocument>; count: () => void }[] = [];
  for (const subject of subjects) {
    const { id, document, facts, uncertain } = subject;
    if (uncertain) {
      kept.push({ subject, count: () => tally.damaged('DOCUMENT', id) });
    } else if (facts.member_ids.some((memberId) => !person.has(memberId))) {
      kept.push({ subject, count: () => tally.shared('DOCUMENT', id) });
    } else if (isAgedDocument(rules, document, nowMs)) {
      free.push(subject);
    } else {
      kept.push({ subject, count: () => tally.retained('DOCUMENT', id, documentAgedAtMs(rules, document)) });
    }
  }
  return { free, kept };
}

/** Passes free subjects through the gate. Counts a held subject under its hold, whatever its age. */
async function passCandidates<S extends HoldSubject>(
  { deps, tenantId, order, tally }: Erasing,
  candidatesOf: () => Promise<Candidates<S>>,
  contentsFor: (gone: readonly S[]) => DisposalContents,
): Promise<void> {
  let kept: Candidates<S>['kept'] = [];
  const subjects = async (): Promise<readonly S[]> => {
    const found = await candidatesOf();
    kept = found.kept;
    return found.free;
  };
  const contents = (gone: readonly S[]): DisposalContents => {
    const { policies, ...rest } = contentsFor(gone);
    return { ...rest, policies: [...policies, `data-right=${order.erasure_id}`] };
  };
  const { refused } = await passGate(deps, tenantId, order.erasure_id, subjects, contents);
  for (const { subject, hold_ids } of refused) {
    if (hold_ids.length > 0) tally.held(subject.kind, subject.id, hold_ids);
    else tally.requested(subject.kind, subject.id);
  }
  const held = await deps.gate.holdsOver(
    tenantId,
    kept.map(({ subject }) => subject),
  );
  for (const { subject, count } of kept) {
    const holdIds = held.get(subject.id);
    if (holdIds === undefined) count();
    else tally.held(subject.kind, subject.id, holdIds);
  }
}
