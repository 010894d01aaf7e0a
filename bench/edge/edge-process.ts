import { type ChildProcess, fork } from 'node:child_process';
import { type Dispatcher, Pool } from 'undici';
import { repositoryFile } from '../../app/repository.js';
import { readContract } from '../../rest-facade/contract.js';
import { routeOperations } from '../../rest-facade/operations.js';
import { ASK_CPU, type CpuMessage, type EdgeMessage, type EdgeRole, type WireAnswer } from './roles.js';
import { EVENT_ID } from './stand-in.js';

export const CONNECTIONS = 32;

/** A process of the benchmark with a client. The client runs in this process, and its work is not counted. */
export interface EdgeProcess {
  readonly url: string;
  /** Processor time of the process so far. */
  readonly cpu: () => Promise<CpuMessage>;
  /** Runs one read through the process. */
  readonly read: () => Promise<number>;
  /** The raw answer to a read. */
  readonly answer: () => Promise<WireAnswer>;
  stop(): Promise<void>;
}

type Ask = () => Promise<Dispatcher.ResponseData>;

/** @param detail parameter of the role (roles.ts) */
export async function startEdge(role: EdgeRole, detail = ''): Promise<EdgeProcess> {
  const child = fork(repositoryFile('dist/bench/edge/server.js'), [role, detail], {
    // Its log goes to /dev/null: writing the lines is part of the path.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--max-semi-space-size=64'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const { url, apiKey } = await messageOf<EdgeMessage>(child, role);
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
  const ask: Ask = role === 'stock-bare' ? await graphqlAsk(pool) : restAsk(pool, apiKey);
  return {
    url,
    cpu: () => {
      const answered = messageOf<CpuMessage>(child, role);
      child.send(ASK_CPU);
      return answered;
    },
    read: async () => {
      await expectEvent(await ask());
      return 1;
    },
    answer: async () => wireAnswer(await ask()),
    stop: async () => {
      await pool.destroy();
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function messageOf<T>(child: ChildProcess, role: EdgeRole): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`the ${role} process ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as T);
    });
  });
}

function restAsk(pool: Pool, apiKey: string): Ask {
  const headers = { 'x-api-key': apiKey };
  return () => pool.request({ method: 'GET', path: `/v1/events/${EVENT_ID}`, headers });
}

/** The route's document, as a client of a plain GraphQL server sends it. */
async function graphqlAsk(pool: Pool): Promise<Ask> {
  const contract = await readContract(repositoryFile('rest-facade/contract.json'));
  const query = routeOperations(contract.document).find(({ name }) => name === 'GetEvent')?.document;
  const body = JSON.stringify({ query, variables: { event_id: EVENT_ID } });
  const headers = { 'content-type': 'application/json' };
  return () => pool.request({ method: 'POST', path: '/graphql', headers, body });
}

async function expectEvent({ statusCode, body }: Dispatcher.ResponseData): Promise<string> {
  const text = await body.text();
  if (statusCode !== 200 || !text.includes(EVENT_ID)) throw new Error(`answered ${statusCode}: ${text.slice(0, 300)}`);
  return text;
}

/** Headers that every HTTP server writes itself. */
const OF_THE_SERVER = new Set(['connection', 'date', 'keep-alive']);

async function wireAnswer(response: Dispatcher.ResponseData): Promise<WireAnswer> {
  const sent = Object.entries(response.headers).filter(([name]) => !OF_THE_SERVER.has(name));
  const headers = Object.fromEntries(sent.map(([name, value]) => [name, String(value)]));
  return { headers, body: await expectEvent(response) };
}
