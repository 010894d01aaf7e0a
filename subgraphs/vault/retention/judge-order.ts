import { isPastAge, type LedgerDisposal } from '../../../shared/contracts/disposal.js';
import { jsonOf } from '../../../shared/facts/state-json.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { DocumentStore } from '../documents/index.js';
import { eventSubject } from '../holds/domain/index.js';
import { documentSubjects } from '../holds/index.js';
import { readRules } from './change-rules.js';
import type { DeletionGate } from './deletion-gate.js';
import { eventCutoffs, isAgedDocument, type RetentionRules } from './domain/rules.js';
import { documentContents, eventContents, UNDISPOSED } from './pass-gate.js';
import type { RulesStore, StoredDisposal } from './ports.js';
import { listsOf, NOTHING, type OrderContents, type OrderDeps } from './proven-orders.js';

export interface JudgeDeps extends OrderDeps {
  readonly ledgerDisposal: LedgerDisposal;
  readonly documents: DocumentStore;
  readonly rules: RulesStore;
  readonly keeps: DeletionGate['keeps'];
}

/**
 * Returns the part of a prepared order that may go now: proven records past their age, without a hold and without an open
 * request. The row only proposes them; every name in it must be the proven one.
 */
export async function judgeOrder(deps: JudgeDeps, row: StoredDisposal): Promise<OrderContents> {
  const lists = listsOf(row);
  if (lists === null) return NOTHING;
  const rules = await readRules(deps.rules, row.tenant_id);
  const [events, documents] = [await dueEvents(deps, row, lists, rules), await dueDocuments(deps, row, lists, rules)];
  const kept = await deps.keeps(row.tenant_id, [...events, ...documents]);
  const gone = {
    events: eventContents(
      rules,
      events.filter(({ id }) => !kept.has(id)),
    ),
    documents: documentContents(
      rules,
      documents.filter(({ id }) => !kept.has(id)),
    ),
  };
  const policies = [...gone.events.policies, ...gone.documents.policies, ...erasureIn(row, lists)];
  const chosen = {
    events: asProposed(gone.events.events, lists.events),
    documents: asProposed(gone.documents.documents, lists.documents),
  };
  if (chosen.events.length + chosen.documents.length === 0) return NOTHING;
  return { ...chosen, policies: [...new Set(policies)].sort() };
}

/** An erasure names itself in addition to the policies. */
const erasureIn = ({ sweep_id }: StoredDisposal, { policies }: OrderContents): readonly string[] =>
  policies.filter((policy) => policy === `data-right=${sweep_id}`);

async function dueEvents(
  deps: JudgeDeps,
  { tenant_id }: StoredDisposal,
  { events }: OrderContents,
  rules: RetentionRules,
) {
  const ids = events.map(({ event_id }) => event_id);
  if (ids.length === 0) return [];
  const cutoffs = eventCutoffs(rules, deps.clock.nowMs());
  const { candidates } = await deps.ledgerDisposal.facts(tenant_id, ids);
  return candidates
    .filter((event) => !isReservedSourceSystem(event.source_system) && isPastAge(event, cutoffs))
    .map(eventSubject);
}

async function dueDocuments(
  deps: JudgeDeps,
  { tenant_id }: StoredDisposal,
  { documents }: OrderContents,
  rules: RetentionRules,
) {
  const { rows } = await deps.documents(tenant_id).soundAmong(documents.map(({ document_id }) => document_id));
  const due = rows.filter(
    (document) =>
      UNDISPOSED.some((status) => status === document.status) && isAgedDocument(rules, document, deps.clock.nowMs()),
  );
  return (await documentSubjects(deps, tenant_id, due)).filter(({ uncertain }) => !uncertain);
}

/** Those that the row proposes with exactly these members. */
function asProposed<T>(proven: readonly T[], proposed: readonly T[]): readonly T[] {
  const texts = new Set(proposed.map((one) => canonicalJson(jsonOf(one))));
  return proven.filter((one) => texts.has(canonicalJson(jsonOf(one))));
}
