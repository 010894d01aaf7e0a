import { jest } from '@jest/globals';
import { OPEN_LOOPBACK } from '../admin/webhooks/delivery-kit.js';
import { type EdgeKit, edgeKit } from '../rest-facade/edge-kit.js';
import type { Http } from '../support/http.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { graphQuestions } from './graph-questions.js';
import { type Question, restQuestions } from './rest-questions.js';
import { type DisclosedWorld, disclosedWorld, eventOf } from './world.js';

/** A test asks some thousand questions, which takes minutes on a busy machine. */
jest.setTimeout(600_000);

// Disclose, act, ask again in every way. What an act hides must be in no answer after it.

export interface DisclosureKit {
  /** Two services on one database. */
  readonly operator: Http;
  readonly other: Http;
  readonly receiver: Receiver;
  world(): Promise<DisclosedWorld>;
  /** Everything that both services have logged. */
  log(): string;
  stop(): Promise<void>;
}

export async function disclosureKit(): Promise<DisclosureKit> {
  const kit: EdgeKit = await edgeKit();
  const receiver = await startReceiver();
  const env = { ...OPEN_LOOPBACK, SERVICE_RATE_LIMIT_PER_MINUTE: '0', SERVICE_CODE_IN_RESPONSE: 'true' };
  const { operator } = await kit.start(env);
  const { operator: other } = await kit.start(env);
  return {
    operator,
    other,
    receiver,
    world: () => disclosedWorld(operator, `${receiver.url}/hook`),
    log: kit.log,
    stop: async () => {
      await receiver.close();
      await kit.stop();
    },
  };
}

/** The part of an answer that these suites examine. */
interface Heard {
  readonly question: Question;
  readonly status: number;
  readonly tag: string | null;
  readonly text: string;
}

/** Questions that are under way at once. */
const AT_ONCE = 4;

export const allQuestions = (world: DisclosedWorld, purpose?: string): readonly Question[] => [
  ...restQuestions(world, purpose),
  ...graphQuestions(world, purpose).questions,
];

async function ask({ url, key }: Http, question: Question): Promise<Heard> {
  const { path, method = 'GET', body, headers = {} } = question;
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { 'x-api-key': key ?? '', ...json, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { question, status: answer.status, tag: answer.headers.get('etag'), text: await answer.text() };
}

export async function askAll(http: Http, questions: readonly Question[]): Promise<readonly Heard[]> {
  const heard: Heard[] = [];
  const open = [...questions];
  const worker = async (): Promise<void> => {
    for (let question = open.shift(); question !== undefined; question = open.shift()) {
      heard.push(await ask(http, question));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return heard;
}

/** Names of the questions with a word in their answer. */
export const disclosing = (heard: readonly Heard[], word: string): readonly string[] =>
  heard.filter(({ text }) => text.includes(word)).map(({ question }) => question.name);

/** Answers that are the service's own failure; a test of disclosure must not pass on them. */
export const failing = (heard: readonly Heard[]): readonly string[] =>
  heard
    .filter(({ status }) => status >= 500)
    .map(({ question, status, text }) => `${status} ${question.name} ${text.slice(0, 200)}`);

/** Questions by the hidden word whose answer names a record: the word is confirmed without being returned. */
export const confirming = (heard: readonly Heard[], ids: readonly string[]): readonly string[] =>
  heard
    .filter(({ question, text }) => question.byWord === true && ids.some((id) => text.includes(id)))
    .map(({ question }) => question.name);

/** The first page of each list before the act; its cursor is used after it. */
function cursorsOf(heard: readonly Heard[]): readonly Question[] {
  return heard.flatMap(({ question, text }) => {
    const cursor = /"next_cursor":"([^"]+)"/.exec(text)?.[1];
    if (cursor === undefined || !/limit=1(?:&|$)/.test(question.path)) return [];
    const path = `${question.path.replace('limit=1', 'limit=500')}&cursor=${encodeURIComponent(cursor)}`;
    return [{ ...question, name: `cursor ${question.name}`, path }];
  });
}

/** The same requests with the entity tags of their disclosing answers. */
const taggedOf = (heard: readonly Heard[], word: string): readonly Question[] =>
  heard.flatMap(({ question, tag, text }) => {
    if (tag === null || !text.includes(word)) return [];
    return [{ ...question, name: `tag ${question.name}`, headers: { ...question.headers, 'if-none-match': tag } }];
  });

/** The requests of the world with their Idempotency-Keys, and the redelivery of what webhooks got. */
export function repeatsOf(world: DisclosedWorld): readonly Question[] {
  const { ids, keys, marker } = world;
  const again = (name: string, path: string, body: unknown, headers: Readonly<Record<string, string>>): Question => ({
    name: `replay ${name}`,
    path,
    method: 'POST',
    body,
    headers,
  });
  return [
    again('POST /v1/events', '/v1/events', eventOf(world), keys.event),
    again('POST /v1/search', '/v1/search', { query: marker }, keys.search),
    again('POST /v1/advocacy/recode', `/v1/advocacy/recode/${ids['event']}`, {}, keys.recode),
    again('webhook', `/v1/webhooks/${ids['webhook']}/deliveries/${ids['delivery']}/redeliver`, {}, {}),
  ];
}

/** The disclosed content before an act, and every way to ask for it again. */
export interface Before {
  /** Questions with the word in their answer. */
  readonly disclosed: readonly Question[];
  /** The cursors and the entity tags of their answers. */
  readonly again: readonly Question[];
}

/** Asks everything once, and prepares what only an earlier answer makes possible: cursors and entity tags. */
export async function askBefore(http: Http, world: DisclosedWorld, purpose?: string): Promise<Before> {
  const heard = await askAll(http, allQuestions(world, purpose));
  const failed = failing(heard);
  if (failed.length > 0) throw new Error(`failed before the act: ${failed.join('\n')}`);
  return {
    disclosed: heard.filter(({ text }) => text.includes(world.marker)).map(({ question }) => question),
    again: [...cursorsOf(heard), ...taggedOf(heard, world.marker)],
  };
}

/** Channels on which every world discloses its word before an act, by the beginning of a question's name. */
const DISCLOSING = [
  'GET /v1/events ',
  'GET /v1/events/{id} ',
  'GET /v1/events/{id}/opening ',
  'GET /v1/documents ',
  'GET /v1/documents/{id} ',
  'GET /v1/documents/{id}/metadata ',
  'GET /v1/members/{id}/timeline ',
  'GET /v1/advocacy/explain/{event_id} ',
  'GET /v1/graph/neighbors ',
  'POST /v1/search ',
  'graph event',
  'graph document',
  'graph searchEvents.items',
  'graph searchDocuments.items',
  'graph claimConversation.events',
  'graph memberNeighborhood.nodes',
];
/** The same for readers who state no purpose. */
const DISCLOSING_WITHOUT_PURPOSE = [
  'GET /v1/events/{id}/raw ',
  'GET /v1/ingest/{ingest_id} ',
  'GET /v1/bundles/{id}/download ',
  'GET /v1/bundles/{id}/edx ',
  'graph ingestResults.items',
];

/** Channels without the word before the act: an act there would prove nothing. */
export function silentBefore({ disclosed }: Before, purpose?: string): readonly string[] {
  const expected = [...DISCLOSING, ...(purpose === undefined ? DISCLOSING_WITHOUT_PURPOSE : [])];
  return expected.filter((channel) => !disclosed.some(({ name }) => name.startsWith(channel)));
}

/** What came out after an act; all lists are empty where the gate holds. */
interface Leaks {
  readonly failed: readonly string[];
  readonly disclosed: readonly string[];
  /** An entity tag that was answered with 304: the copy with the hidden word would still be current. */
  readonly unchanged: readonly string[];
  /** Answers to the hidden word that name a hidden record. */
  readonly confirmed: readonly string[];
}

export const NO_LEAKS: Leaks = { failed: [], disclosed: [], unchanged: [], confirmed: [] };

/** Asks, and returns what must not have come out. @param hidden ids of the hidden records */
export async function leaksOf(
  http: Http,
  { marker }: DisclosedWorld,
  questions: readonly Question[],
  hidden: readonly string[],
): Promise<Leaks> {
  const heard = await askAll(http, questions);
  return {
    failed: failing(heard),
    disclosed: disclosing(heard, marker),
    unchanged: heard.filter(({ status }) => status === 304).map(({ question }) => question.name),
    confirmed: confirming(heard, hidden),
  };
}

/** Ids of the records with the word. */
export const hiddenOf = ({ ids }: DisclosedWorld): readonly string[] =>
  ['event', 'rival', 'rawEvent', 'document'].flatMap((kind) => ids[kind] ?? []);
