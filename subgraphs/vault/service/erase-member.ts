import { type DisposalCursor, type DisposalPlan, isPastAge } from '../../../shared/contracts/disposal.js';
import type { ErasureOrder, ErasureState } from '../../../shared/contracts/erasures.js';
import type { HoldSubject } from '../../../shared/contracts/holds.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { pageOf } from '../../../shared/pagination/cursor.js';
import { ErasureTally } from '../domain/erasure-tally.js';
import {
  type DocumentSubject,
  documentAgedAtMs,
  type EventSubject,
  eventSubject,
  isAgedDocument,
} from '../domain/hold-subjects.js';
import { eventCutoffs, eventFreeAtMs, type RetentionRules } from '../domain/retention.js';
import {
  BATCH_DOCUMENTS,
  BATCH_EVENTS,
  type DisposalContents,
  documentContents,
  eventContents,
  passGate,
} from './pass-gate.js';
import type { StoredDocument } from './ports/document-store.js';
import { readRules } from './retention-rules.js';
import { documentSubjects } from './subjects-of.js';
import type { SweepDeps } from './sweep-retention.js';

/** One run takes about so long; whoever asked runs it again where there is more. */
const RUN_BUDGET_MS = 10_000;

const STANDING = ['AVAILABLE', 'QUARANTINED', 'REJECTED'] as const;

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

/** Things that there are: those that retention lets go now, and the others with what to tell of them. */
interface Judged<S> {
  readonly free: readonly S[];
  readonly kept: readonly { readonly subject: S; readonly tell: () => void }[];
}

/**
 * Disposes of what retention would let go now of one person, and of what no hold covers, as a sweep does: through the gate,
 * with certificates. Whether the policies' age is reached is judged anew at every run. What stays is told, by reason.
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
  const disposed = await deps.disposals(tenantId).countOf(order.erasure_id);
  return { complete, disposed, refused: erasing.tally.told() };
}

/** Page by page, and before each page what is attached to its events: afterwards nothing tells whose that was. */
async function eraseEvents(erasing: Erasing): Promise<boolean> {
  const { deps, tenantId, order, rules, nowMs, tally } = erasing;
  const cutoffs = eventCutoffs(rules, nowMs);
  for (let after: DisposalCursor | null = null; ; ) {
    if (erasing.isOver()) return false;
    const from: DisposalCursor | null = after;
    const page = (): Promise<DisposalPlan> =>
      deps.ledgerDisposal.ofMembers(tenantId, order.member_ids, from, BATCH_EVENTS);
    const { candidates, next } = await page();
    const event_ids = candidates.map(({ event_id }) => event_id);
    if (event_ids.length > 0 && !(await eraseDocuments(erasing, { event_ids }))) return false;
    const judged = async (): Promise<Judged<EventSubject>> => {
      const subjects = (await page()).candidates.map(eventSubject);
      const isFree = ({ event }: EventSubject): boolean => isPastAge(event, cutoffs);
      return {
        free: subjects.filter(isFree),
        kept: subjects.flatMap((subject) =>
          isFree(subject)
            ? []
            : [{ subject, tell: () => tally.retained('EVENT', subject.id, eventFreeAtMs(rules, subject.event)) }],
        ),
      };
    };
    await passJudged(erasing, judged, (gone) => eventContents(rules, gone));
    if (next === null) return true;
    after = next;
  }
}

async function eraseDocuments(
  erasing: Erasing,
  among: { readonly member_ids: readonly string[] } | { readonly event_ids: readonly string[] },
): Promise<boolean> {
  const { deps, tenantId, rules } = erasing;
  for (let cursor: string | undefined; ; ) {
    if (erasing.isOver()) return false;
    const query = { ...among, limit: BATCH_DOCUMENTS, order: 'asc' as const, cursor, statuses: STANDING };
    let next: string | null = null;
    const judged = async (): Promise<Judged<DocumentSubject<StoredDocument>>> => {
      const rows = await deps.documents(tenantId).list(query);
      const page = pageOf(rows, BATCH_DOCUMENTS, ({ created_at, document_id }) => ({
        atMs: created_at.getTime(),
        id: document_id,
      }));
      next = page.next_cursor;
      return judgedDocuments(erasing, await documentSubjects(deps, tenantId, page.items));
    };
    await passJudged(erasing, judged, (gone) => documentContents(rules, gone));
    if (next === null) return true;
    cursor = next;
  }
}

function judgedDocuments(
  { rules, nowMs, tally, order }: Erasing,
  subjects: readonly DocumentSubject<StoredDocument>[],
): Judged<DocumentSubject<StoredDocument>> {
  const person = new Set(order.member_ids);
  const free: DocumentSubject<StoredDocument>[] = [];
  const kept: { subject: DocumentSubject<StoredDocument>; tell: () => void }[] = [];
  for (const subject of subjects) {
    const { id, document, facts } = subject;
    if (facts.member_ids.some((memberId) => !person.has(memberId))) {
      kept.push({ subject, tell: () => tally.shared('DOCUMENT', id) });
    } else if (isAgedDocument(rules, document, nowMs)) {
      free.push(subject);
    } else {
      kept.push({ subject, tell: () => tally.retained('DOCUMENT', id, documentAgedAtMs(rules, document)) });
    }
  }
  return { free, kept };
}

/** Through the gate goes what is free; a hold is told of what it covers, whether or not its age would let it go. */
async function passJudged<S extends HoldSubject>(
  { deps, tenantId, order, tally }: Erasing,
  judged: () => Promise<Judged<S>>,
  contentsFor: (gone: readonly S[]) => DisposalContents,
): Promise<void> {
  let kept: Judged<S>['kept'] = [];
  const subjects = async (): Promise<readonly S[]> => {
    const found = await judged();
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
    else tally.asked(subject.kind, subject.id);
  }
  const held = await deps.gate.look(
    tenantId,
    kept.map(({ subject }) => subject),
  );
  for (const { subject, tell } of kept) {
    const holdIds = held.get(subject.id);
    if (holdIds === undefined) tell();
    else tally.held(subject.kind, subject.id, holdIds);
  }
}
