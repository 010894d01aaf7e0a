import { z } from 'zod';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { type AdoptableRows, isAdoption } from '../../../shared/facts/adoption.js';
import type { Fact, FactDraft, FactSubject } from '../../../shared/facts/fact.js';
import type { FactAnswer } from '../../../shared/facts/facts.js';
import type { FactGuard } from '../../../shared/facts/guard.js';
import { jsonOf } from '../../../shared/facts/state-json.js';
import { idLike } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import { shortText } from '../../../shared/json/short-text.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { retryOnConflict } from '../../../shared/records/conflicts.js';
import { disposalSubject } from '../disposal/domain.js';
import type {
  EventFacts,
  HiddenOfEvent,
  RedactionRow,
  RedactionRows,
  RedactionRowsByTenant,
  RedactionStore,
} from './ports.js';

/** The evidential fields of an event's redaction. */
const HiddenState = z.object({ redaction_id: z.string(), ordinal: z.int(), pointers: z.array(z.string()) });

const SERVICE = { type: 'SERVICE', id: 'service:redactions' } as const;
const subjectOf = (id: string): FactSubject => ({ kind: 'event-redaction', id });

interface ProvenRedactionDeps {
  readonly clock: Clock;
  readonly guard: FactGuard;
  readonly rows: RedactionRowsByTenant;
}

/**
 * Hidden fields of events, read from their facts. The stored rows are a second witness: a row without its fact, or one
 * that says something else, fails the read.
 */
export const provenRedactions =
  (deps: ProvenRedactionDeps): RedactionStore =>
  (tenant) => {
    // Callers have looked the tenant up.
    const tenantId = tenant as TenantId;
    const read = { guard: deps.guard, tenantId, rows: deps.rows(tenantId) };
    return {
      of: async (eventIds) => hiddenOnly(await currentOf(read, eventIds)),
      factsOf: async (eventIds) => factsOf(await currentOf(read, eventIds, WITH_DISPOSALS)),
      put: (eventId, hidden, details) => put(read, deps.clock, eventId, { hidden, details }),
    };
  };

interface Read {
  readonly guard: FactGuard;
  readonly tenantId: TenantId;
  readonly rows: RedactionRows;
}

/** The latest fact of an event's redaction, and the fact of its disposal; null for none. */
interface CurrentFacts {
  readonly redaction: Fact | null;
  readonly disposal: Fact | null;
}

type Current = ReadonlyMap<string, CurrentFacts>;

function hiddenOnly(current: Current): ReadonlyMap<string, HiddenOfEvent> {
  const hidden = new Map<string, HiddenOfEvent>();
  for (const [id, { redaction }] of current) if (redaction !== null) hidden.set(id, HiddenState.parse(redaction.state));
  return hidden;
}

const factsOf = (current: Current): ReadonlyMap<string, EventFacts> =>
  new Map(
    [...current].map(([id, { redaction, disposal }]) => [
      id,
      { hidden: redaction && HiddenState.parse(redaction.state), disposal },
    ]),
  );

const WITH_DISPOSALS = true;

/** Returns the facts of each event. Asks again for events with rows behind their facts. */
async function currentOf(read: Read, eventIds: readonly string[], withDisposals = false): Promise<Current> {
  const current = new Map<string, CurrentFacts>();
  for (let waiting = eventIds; waiting.length > 0; ) {
    const stored = await read.rows.of(waiting);
    const redactions = waiting.map((id) => ({ subject: subjectOf(id), known: stored.get(id)?.fact ?? null }));
    const disposals = withDisposals ? waiting.map((id) => ({ subject: disposalSubject(id), known: null })) : [];
    const answers = await read.guard.read(read.tenantId, [...redactions, ...disposals]);
    const behind: string[] = [];
    for (const [i, id] of waiting.entries()) {
      const answer = answers[i] ?? { known: null, newer: [] };
      const redaction = await latest(read, id, stored.get(id) ?? null, answer);
      current.set(id, { redaction, disposal: answers[waiting.length + i]?.newer[0] ?? null });
      if (answer.newer.length > 0) behind.push(id);
    }
    waiting = behind;
  }
  return current;
}

/** @throws INTEGRITY_FAILURE for a row that its fact does not prove. */
async function latest(
  { guard, tenantId, rows }: Read,
  id: string,
  row: Partial<RedactionRow> | null,
  { known, newer }: FactAnswer,
): Promise<Fact | null> {
  const fact = newer.at(-1) ?? known;
  const [first] = newer;
  const isAdopted = row !== null && row.fact === undefined && first !== undefined && isAdoption(first);
  if (isAdopted && says(row, first)) await rows.adopt(id, first.place);
  else if (row !== null && known === null) await guard.reject(tenantId, subjectOf(id), 'FACT_MISSING');
  if (row !== null && known !== null && !says(row, known)) await guard.reject(tenantId, subjectOf(id), 'ROW_DIFFERS');
  // A crash or a person removed the row, or a crash left it behind; the fact hides the fields all the same.
  if (fact !== null && fact !== known) await rows.put(id, { ...HiddenState.parse(fact.state), fact: fact.place });
  return fact;
}

const says = (row: Partial<RedactionRow>, { state }: Fact): boolean =>
  canonicalJson(state) === canonicalJson(stateOfRedaction(row));

/** The evidential fields of a row, which may hold values of wrong types. */
export const stateOfRedaction = ({ redaction_id, ordinal, pointers }: Partial<RedactionRow>): JsonObject => ({
  redaction_id: jsonOf(redaction_id),
  ordinal: jsonOf(ordinal),
  pointers: jsonOf(pointers),
});

/** Writes the row of an event's redaction that a crash left behind its fact. @throws INTEGRITY_FAILURE */
export const catchUpRedaction = async (
  { guard, rows }: Pick<ProvenRedactionDeps, 'guard' | 'rows'>,
  tenantId: TenantId,
  eventId: string,
): Promise<void> => void (await currentOf({ guard, tenantId, rows: rows(tenantId) }, [eventId]));

interface Applied {
  readonly hidden: HiddenOfEvent;
  readonly details: JsonObject;
}

/** Appends the fact that hides the fields, then writes the row. */
const put = (read: Read, clock: Clock, eventId: string, applied: Applied): Promise<void> =>
  retryOnConflict('redaction', async () => {
    const { hidden } = applied;
    const before = (await currentOf(read, [eventId])).get(eventId)?.redaction ?? null;
    if (before !== null && HiddenState.parse(before.state).ordinal >= hidden.ordinal) return true;
    const { status, place } = await read.guard.append(read.tenantId, draftOf(eventId, applied, before, clock));
    if (status === 'TAKEN') return undefined;
    await read.rows.put(eventId, { ...hidden, fact: place });
    return true;
  }).then(() => undefined);

function draftOf(
  eventId: string,
  { hidden: { redaction_id, ordinal, pointers }, details }: Applied,
  before: Fact | null,
  clock: Clock,
): FactDraft {
  return {
    fact_id: idLike('effect', redaction_id),
    subject: subjectOf(eventId),
    event_family: 'redaction',
    event_type: 'redaction.applied',
    at: isoTime(clock.nowMs()),
    action: 'hide',
    actor: SERVICE,
    previous: before?.place.entry_hash ?? null,
    state: { redaction_id, ordinal, pointers: [...pointers] },
    details: { ...details, redaction_id },
  };
}

/** The rows of redactions, for the command that adopts rows of earlier versions. */
export const adoptableRedactions = (rows: RedactionRowsByTenant, collection: string): AdoptableRows => ({
  collection,
  rows: async function* (tenantId) {
    for await (const { event_id, row } of rows(tenantId).all()) {
      const isNamed = typeof event_id === 'string';
      yield {
        id: isNamed ? event_id : null,
        key: shortText(event_id),
        fact: row.fact,
        createdAt: null,
        adopted: () => [{ state: { ...HiddenState.parse(stateOfRedaction(row)) } }],
      };
    }
  },
});
