import { strongerReason, type Withheld } from '../../../shared/consent/withheld.js';
import { stopIfLeft } from '../../../shared/errors/caller-left.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import type { Keyset } from '../../../shared/pagination/cursor.js';
import type { KeyedPlace } from '../event-keys/index.js';
import { boundsOf, type Condition, type Leads, leadsOf, matches, type Said } from './domain/index.js';
import { saidAtPlace, saidInView } from './said.js';
import { readPlaces } from './scan-places.js';
import { type EventReader, openedOf, readMatching } from './visible-events.js';

/** Limit of the cost of one aggregate: an event costs its unit. */
const MAX_COST = 20_000;
/** An event that consent judges is read and verified; another one is read from the index. */
const UNIT = { indexed: 1, judged: 10 } as const;
const BATCH = 2_000;
const JUDGED_BATCH = 200;
/** A refusal states costs up to this multiple of the limit. */
const STATED = 10;

interface Collected {
  readonly events: readonly Said[];
  readonly cost: number;
  readonly withheld?: Withheld;
}

/**
 * Collects what the events say that meet a condition. Without a purpose it reads the index; with one it reads, verifies
 * and judges each event, so that nothing that consent withholds is in any figure.
 *
 * @param further cost of an event for measures that read more
 * @throws VALIDATION_ERROR with the cost if it exceeds the limit
 */
export async function collectEvents(reader: EventReader, condition: Condition, further: number): Promise<Collected> {
  if (reader.by.reading.stated !== null) return collectJudged(reader, condition, UNIT.judged + further);
  const unit = UNIT.indexed + further;
  const leads = leadsOf(condition);
  const expected = await (leads === null ? chainLengthOf(reader) : countOf(reader, condition, leads, unit));
  requireCost(expected, unit);
  const events: Said[] = [];
  const batches = leads === null ? ofChains(reader, condition) : ofLeads(reader, condition, leads);
  for await (const places of batches) {
    stopIfLeft(reader.signal);
    for (const place of places) {
      const said = saidAtPlace(place);
      if (matches(condition, said)) events.push(said);
    }
  }
  return { events, cost: expected * unit };
}

async function collectJudged(reader: EventReader, condition: Condition, unit: number): Promise<Collected> {
  const events: Said[] = [];
  const withheld: Withheld[] = [];
  let examined = 0;
  let place: Keyset | undefined;
  do {
    const batch = await readMatching(reader, { condition, ascending: false }, place, JUDGED_BATCH);
    const opened = await openedOf(reader, batch.views);
    events.push(...opened.items.map(saidInView));
    if (opened.withheld) withheld.push(opened.withheld);
    examined += batch.examined;
    requireCost(examined, unit);
    place = batch.next;
  } while (place !== undefined);
  const reason = strongerReason(withheld.map((one) => one.reason));
  const count = withheld.reduce((sum, one) => sum + one.count, 0);
  return { events, cost: examined * unit, ...(reason === null ? {} : { withheld: { count, reason } }) };
}

/** @throws VALIDATION_ERROR */
function requireCost(events: number, unit: number): void {
  const cost = events * unit;
  if (cost <= MAX_COST) return;
  const least = cost >= MAX_COST * STATED ? 'at least ' : '';
  const message = `The aggregate would cost ${least}${cost}: ${events} events to examine, ${unit} each. The limit is ${MAX_COST}. Filter by a member, claim, provider, code or program, or by a shorter span of effective_at.`;
  throw problem('VALIDATION_ERROR', { message, errors: [fault('/filter', 'cost', message)] });
}

async function countOf({ events }: EventReader, condition: Condition, leads: Leads, unit: number): Promise<number> {
  const query = { ...boundsOf(condition), limit: Math.ceil((MAX_COST * STATED) / unit) };
  const counts = await Promise.all(leads.any.map((key) => events.count(key, query)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Without a key that finds the events, every entry of the chains is examined. */
async function chainLengthOf({ tenant: { ledger } }: EventReader): Promise<number> {
  const heads = await Promise.all((await ownSources({ ledger })).map((name) => ledger.head(name)));
  return heads.reduce((sum, head) => sum + (head?._id.seq ?? 0), 0);
}

const ownSources = async ({ ledger }: Pick<EventReader['tenant'], 'ledger'>): Promise<string[]> =>
  (await ledger.sourceSystems()).filter((name) => !isReservedSourceSystem(name));

async function* ofLeads(
  { events }: EventReader,
  condition: Condition,
  leads: Leads,
): AsyncGenerator<readonly KeyedPlace[]> {
  const scan = { leads, ascending: false, ...boundsOf(condition) };
  let place: Keyset | undefined;
  do {
    const batch = await readPlaces(events, scan, place, BATCH);
    yield batch.places;
    place = batch.next;
  } while (place !== undefined);
}

async function* ofChains({ tenant, events }: EventReader, condition: Condition): AsyncGenerator<readonly KeyedPlace[]> {
  for (const source of await ownSources(tenant)) {
    let afterSeq = 0;
    for (;;) {
      const places = await events.ofSource(source, { ...boundsOf(condition), afterSeq, limit: BATCH });
      yield places;
      const last = places.at(-1);
      if (places.length < BATCH || last === undefined) break;
      afterSeq = last._id.seq;
    }
  }
}
