import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { isOverdue, machineOf } from '../domain/data-rights/data-right.js';
import type { DataDisclosure, DataRight, DataRightFulfilment } from '../schema/data-right.js';
import type { Disclosure } from '../service/data-rights/list-disclosures.js';
import type { Fulfilment, StoredDataRight } from '../service/ports/data-right-store.js';
import { iso, isoOrNull, shownSteps } from './shown-steps.js';

/** A request about a member's data as it is shown. */
export function shownDataRight(stored: StoredDataRight, nowMs: number): DataRight {
  const { id, deadline: _deadline, is_overdue_told: _told, next_look_at: _look, verification, ...rest } = stored;
  return {
    ...rest,
    data_right_id: id,
    received_at: iso(rest.received_at),
    due_at: iso(rest.due_at),
    extended_to: isoOrNull(rest.extended_to),
    overdue: isOverdue(stored, nowMs),
    verification: verification === null ? null : { ...verification, at: iso(verification.at) },
    fulfilment: rest.fulfilment === null ? null : shownFulfilment(rest.fulfilment),
    allowed_actions: allowedActions(machineOf(rest.right), rest.status),
    created_at: iso(rest.created_at),
    updated_at: iso(rest.updated_at),
    history: shownSteps(rest.history),
  };
}

function shownFulfilment({ access, amendment, restriction, accounting, erasure }: Fulfilment): DataRightFulfilment {
  const { statement_of_disagreement_event_id: statement } = amendment ?? {};
  return {
    ...access,
    ...(amendment?.event_ids === undefined ? {} : { event_ids: [...amendment.event_ids] }),
    ...(amendment?.correction_event_ids === undefined
      ? {}
      : { correction_event_ids: [...amendment.correction_event_ids] }),
    ...(statement === undefined ? {} : { statement_of_disagreement_event_id: statement }),
    ...(restriction === undefined
      ? {}
      : { ...restriction, categories: [...restriction.categories], actors: [...restriction.actors] }),
    ...(accounting === undefined ? {} : shownAccounting(accounting)),
    ...(erasure === undefined ? {} : shownErasure(erasure)),
  };
}

function shownAccounting({ from, to, answer }: NonNullable<Fulfilment['accounting']>): DataRightFulfilment {
  const period = { from: iso(from), to: iso(to) };
  if (answer === null) return { period };
  const { count, sha256, last_seq } = answer;
  const place = last_seq === null ? {} : { last_custody_seq: last_seq };
  return { period, disclosure_count: count, disclosures_sha256: sha256, ...place };
}

const shownErasure = ({ complete, disposed, refused }: NonNullable<Fulfilment['erasure']>): DataRightFulfilment => ({
  complete,
  disposed: { ...disposed },
  refused: refused.map(({ hold_ids, ...rest }) => ({ ...rest, ...(hold_ids ? { hold_ids: [...hold_ids] } : {}) })),
});

export const shownDisclosure = (disclosure: Disclosure): DataDisclosure => {
  const { custody_id, at, action, what, subject, subjects, subject_count, actor, seq, entry_hash } = disclosure;
  return {
    custody_id,
    at,
    recipient: disclosure.recipient ?? null,
    purpose: disclosure.purpose ?? null,
    action,
    what,
    subject,
    further_subjects: subject_count ?? subjects?.length ?? 0,
    by: actor.id,
    seq,
    entry_hash,
  };
};
