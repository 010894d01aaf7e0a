import type { Withheld } from '../../../shared/consent/withheld.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { claimKey, familyKey, valuesOfKeys } from '../../../shared/event-keys/event-keys.js';
import { joinAppeals } from '../analysis/domain/index.js';
import type { LedgerRow } from '../append/domain/index.js';
import { viewsOfRows } from '../events/index.js';
import { edgesOfEvents, type LinkStore } from '../links/index.js';
import { collectEvents } from './collect-events.js';
import {
  type Condition,
  type Counted,
  type Dimension,
  type Group,
  groupEvents,
  isDenial,
  type Measure,
  type Said,
} from './domain/index.js';
import { saidAtPlace, saidInView } from './said.js';
import { type EventReader, openedOf } from './visible-events.js';

/** Cost of one event for a measure that reads other events. */
const FURTHER_COST: Partial<Record<Measure, number>> = { OVERTURN_RATE: 1, DAYS_TO_DECISION: 4 };
const MAX_GROUPS = 20_000;
/** Claims in one question for their appeals; events in one question for their links. */
const CLAIMS_AT_ONCE = 500;
const EVENTS_AT_ONCE = 200;
const MAX_APPEALS = 5_000;
const APPEAL = familyKey('appeal');
const DAY_MS = 86_400_000;

/** Relations of a decision to what it decides: of a response to its request, of a remittance to its claim. */
const DECIDES: ReadonlySet<string> = new Set(['ANSWERS', 'ADJUDICATES']);

export interface AggregateReader extends EventReader {
  readonly links: ReturnType<LinkStore['forTenant']>;
}

interface Aggregated {
  readonly events: number;
  readonly cost: number;
  readonly groups: readonly Group[];
  readonly withheld?: Withheld;
}

/**
 * Groups the events that meet a condition, and measures each group.
 *
 * @throws VALIDATION_ERROR with the cost if it exceeds the limit
 */
export async function readAggregate(
  reader: AggregateReader,
  condition: Condition,
  by: readonly Dimension[],
  measures: ReadonlySet<Measure>,
): Promise<Aggregated> {
  const further = [...measures].reduce((sum, measure) => sum + (FURTHER_COST[measure] ?? 0), 0);
  const { events, ...rest } = await collectEvents(reader, condition, further);
  const overturned = measures.has('OVERTURN_RATE') ? await overturnedOf(reader, events) : new Map<string, boolean>();
  const days = measures.has('DAYS_TO_DECISION') ? await daysOf(reader, events) : new Map<string, number>();
  const counted = events.map(
    (said): Counted => ({
      said,
      overturned: overturned.get(said.event_id) ?? null,
      days: days.get(said.event_id) ?? null,
    }),
  );
  const groups = groupEvents(counted, by, measures, MAX_GROUPS);
  if (groups === null) {
    const message = `The aggregate has more than ${MAX_GROUPS} groups. Group by fewer dimensions, or narrow the filter.`;
    throw problem('VALIDATION_ERROR', { message, errors: [fault('/by', 'groups', message)] });
  }
  return { ...rest, events: events.length, groups };
}

/** Returns, for each denial that was appealed, whether an appeal of its claims was overturned. */
async function overturnedOf(reader: EventReader, events: readonly Said[]): Promise<ReadonlyMap<string, boolean>> {
  const denials = events.filter(isDenial).map(keyed);
  const claims = [...new Set(denials.flatMap(({ keys }) => valuesOfKeys(keys, 'claim')))].map(claimKey);
  const appeals: Said[] = [];
  for (let i = 0; i < claims.length; i += CLAIMS_AT_ONCE) {
    const places = await reader.events.withAny(claims.slice(i, i + CLAIMS_AT_ONCE), APPEAL, MAX_APPEALS);
    if (places.length === MAX_APPEALS) throw tooMany('appeals');
    appeals.push(
      ...(isJudged(reader) ? await judged(reader, await reader.events.rows(places)) : places.map(saidAtPlace)),
    );
  }
  const joined = joinAppeals(denials, appeals.map(keyed)).filter((one) => one.appeals.length > 0);
  return new Map(joined.map(({ denial, overturned }) => [denial.event_id, overturned]));
}

const tooMany = (what: string) =>
  problem('VALIDATION_ERROR', {
    errors: [fault('/filter', 'cost', `Too many ${what} to examine; narrow the filter.`)],
  });

const keyed = ({ event_id, at_ms, keys }: Said) => ({ event_id, effective_at: new Date(at_ms), keys: [...keys] });

const isJudged = ({ by }: EventReader): boolean => by.reading.stated !== null;

/** What events say that consent opens. */
async function judged(reader: EventReader, rows: readonly LedgerRow[]): Promise<Said[]> {
  const views = await viewsOfRows(reader.tenant, reader.sight, rows);
  return (await openedOf(reader, views)).items.map(saidInView);
}

/** Returns the days from the earliest request or claim that an event decides, to the event. */
async function daysOf(reader: AggregateReader, events: readonly Said[]): Promise<ReadonlyMap<string, number>> {
  const days = new Map<string, number>();
  for (let i = 0; i < events.length; i += EVENTS_AT_ONCE) {
    const some = new Map(events.slice(i, i + EVENTS_AT_ONCE).map((said) => [said.event_id, said]));
    const { edges, truncated } = await edgesOfEvents(reader.links, [...some.keys()]);
    if (truncated) throw tooMany('links');
    const decides = edges.filter(({ kind, from }) => DECIDES.has(kind) && some.has(from));
    const times = await timesOf(reader, [...new Set(decides.map(({ to }) => to))]);
    for (const { from, to } of decides) {
      const [decidedMs, askedMs] = [some.get(from)?.at_ms, times.get(to)];
      if (decidedMs === undefined || askedMs === undefined) continue;
      days.set(from, Math.max(days.get(from) ?? Number.NEGATIVE_INFINITY, (decidedMs - askedMs) / DAY_MS));
    }
  }
  return days;
}

async function timesOf(reader: EventReader, eventIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (eventIds.length === 0) return new Map();
  const rows = await reader.events.rowsOf(eventIds);
  if (isJudged(reader)) return new Map((await judged(reader, rows)).map(({ event_id, at_ms }) => [event_id, at_ms]));
  return new Map(rows.flatMap(({ event_id, query }) => (query ? [[event_id, query.effective_at.getTime()]] : [])));
}
