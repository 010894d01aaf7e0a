import type { components } from '../../../../client/schema.js';

type Entry = components['schemas']['TimelineEntry'];

/** Events of one claim or authorization, oldest first. */
interface Thread {
  /** The claim or authorization number that names it. */
  readonly name: string;
  readonly entries: readonly Entry[];
}

const MAX_THREADS = 20;

/** Members of a payload that name a claim or an authorization. */
const NAMES = [
  ['claim', 'claim_id'],
  ['claim', 'payer_claim_id'],
  ['authorization', 'authorization_number'],
  ['authorization', 'prior_authorizations'],
] as const;

interface Group {
  readonly names: Set<string>;
  readonly entries: Entry[];
}

/**
 * Joins the events that name the same claim or authorization: request, claim, denial, appeal and payment.
 *
 * @returns threads of at least two events, the one with the newest event first
 */
export function threadsOf(entries: readonly Entry[]): readonly Thread[] {
  const groups = new Map<string, Group>();
  for (const entry of entries) {
    const names = namesOf(entry);
    if (names.length === 0) continue;
    const joined = new Set(names.flatMap((name) => groups.get(name) ?? []));
    const [whole = { names: new Set<string>(), entries: [] }, ...others] = joined;
    for (const other of others) {
      whole.entries.push(...other.entries);
      for (const name of other.names) whole.names.add(name);
    }
    whole.entries.push(entry);
    for (const name of names) whole.names.add(name);
    for (const name of whole.names) groups.set(name, whole);
  }
  return [...new Set(groups.values())]
    .filter((group) => group.entries.length > 1)
    .map(threadOf)
    .toSorted((a, b) => compareTimes(b.entries.at(-1), a.entries.at(-1)))
    .slice(0, MAX_THREADS);
}

const compareTimes = (a: Entry | undefined, b: Entry | undefined): number =>
  Date.parse(a?.at ?? '') - Date.parse(b?.at ?? '');

/** The claim's number names a thread; without a claim, the authorization's does. */
function threadOf({ names, entries }: Group): Thread {
  const [first = ''] = [...names].toSorted((a, b) => (a.startsWith('claim') ? 0 : 1) - (b.startsWith('claim') ? 0 : 1));
  return { name: first.slice(first.indexOf(':') + 1), entries: entries.toSorted(compareTimes) };
}

function namesOf({ kind, record }: Entry): readonly string[] {
  if (kind !== 'EVENT' || !isFields(record) || !isFields(record['payload'])) return [];
  const payload = record['payload'];
  return NAMES.flatMap(([what, member]) =>
    [payload[member]]
      .flat()
      .filter((value) => typeof value === 'string' && value !== '')
      .map((value) => `${what}:${value}`),
  );
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
