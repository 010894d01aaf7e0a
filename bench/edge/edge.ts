import { fork } from 'node:child_process';
import { type Dispatcher, Pool } from 'undici';
import { repositoryFile } from '../../app/repository.js';
import { readContract } from '../../rest-facade/contract.js';
import { routeOperations } from '../../rest-facade/operations.js';
import { cpuSecondsOf } from '../support/cpu.js';
import { type Figure, type Ratio, type Run, ratioOf, timed } from '../support/measure.js';
import type { EdgeMessage, EdgeRole } from './roles.js';
import { EVENT_ID, keyCheck } from './stand-in.js';

const CONNECTIONS = 32;
const WARM_UP = 4_000;
const CALLS = 4_000;
const ROUNDS = 3;
const MICROSECONDS = 1e6;

interface Edge {
  readonly pid: number;
  readonly url: string;
  readonly read: () => Promise<number>;
  stop(): Promise<void>;
}

/** Starts a process; `ask` is one read through it. */
async function startEdge(role: EdgeRole, subgraphUrl = ''): Promise<Edge> {
  const child = fork(repositoryFile('dist/bench/edge/server.js'), [role, subgraphUrl], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--max-semi-space-size=64'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const { url, apiKey } = await new Promise<EdgeMessage>((resolve, reject) => {
    child.once('message', (message) => resolve(message as EdgeMessage));
    child.once('exit', (code) => reject(new Error(`the ${role} process ended with ${code} before it listened`)));
  });
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
  const stop = async (): Promise<void> => {
    await pool.destroy();
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  };
  return { pid: child.pid ?? 0, url, read: role === 'stock' ? await stockRead(pool) : restRead(pool, apiKey), stop };
}

function restRead(pool: Pool, apiKey: string): () => Promise<number> {
  const headers = { 'x-api-key': apiKey };
  return async () => expectEvent(await pool.request({ method: 'GET', path: `/v1/events/${EVENT_ID}`, headers }));
}

/** The same document that the route runs, as a client of a plain GraphQL server sends it. */
async function stockRead(pool: Pool): Promise<() => Promise<number>> {
  const contract = await readContract(repositoryFile('rest-facade/contract.json'));
  const query = routeOperations(contract.document).find(({ name }) => name === 'GetEvent')?.document;
  const body = JSON.stringify({ query, variables: { event_id: EVENT_ID } });
  const headers = { 'content-type': 'application/json' };
  return async () => expectEvent(await pool.request({ method: 'POST', path: '/graphql', headers, body }));
}

async function expectEvent({ statusCode, body }: Dispatcher.ResponseData): Promise<number> {
  const text = await body.text();
  if (statusCode !== 200 || !text.includes(EVENT_ID)) throw new Error(`answered ${statusCode}: ${text.slice(0, 300)}`);
  return 1;
}

interface Measured {
  readonly cpuUs: number;
  readonly run: Run;
}

/** Processor time of the processes, for each of `CALLS` reads on 32 connections. */
async function measure(edge: Edge, pids: readonly number[]): Promise<Measured> {
  const total = (): number => pids.reduce((sum, pid) => sum + (cpuSecondsOf(pid) ?? Number.NaN), 0);
  const before = total();
  const run = await timed(CALLS, CONNECTIONS, edge.read);
  return { cpuUs: ((total() - before) / CALLS) * MICROSECONDS, run };
}

/** The edge's figures: every round measures each way once, so that a drift of the machine touches all alike. */
export async function benchEdge(): Promise<{ readonly ratios: readonly Ratio[]; readonly figures: readonly Figure[] }> {
  const subgraph = await startEdge('subgraph');
  const ours = await startEdge('in-process');
  const distributed = await startEdge('distributed', subgraph.url);
  const stock = await startEdge('stock');
  try {
    for (const edge of [ours, distributed, stock]) await timed(WARM_UP, CONNECTIONS, edge.read);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({
        ours: await measure(ours, [ours.pid]),
        distributed: await measure(distributed, [distributed.pid, subgraph.pid]),
        stock: await measure(stock, [stock.pid]),
      });
    }
    return summed(rounds, await keyFigure());
  } finally {
    for (const edge of [subgraph, ours, distributed, stock]) await edge.stop();
  }
}

function summed(rounds: readonly Readonly<Record<'ours' | 'distributed' | 'stock', Measured>>[], key: Figure) {
  const us = (way: 'ours' | 'distributed' | 'stock'): string =>
    `${way}: ${rounds.map((round) => Math.round(round[way].cpuUs)).join(', ')} µs of CPU a request`;
  const latency = rounds.map(({ ours }) => `p50 ${ours.run.p50Ms.toFixed(2)} ms, p99 ${ours.run.p99Ms.toFixed(2)} ms`);
  const figures: Figure[] = [
    {
      name: 'one-subgraph read, facade and gateway in one process, without a database',
      unit: 'µs of CPU',
      aim: 120,
      lower: true,
      values: rounds.map(({ ours }) => ours.cpuUs),
      lines: [us('ours')],
    },
    {
      name: 'the same, distributed: facade and subgraph together / in one process',
      unit: '×',
      aim: 2.5,
      lower: true,
      values: rounds.map((round) => round.distributed.cpuUs / round.ours.cpuUs),
      lines: [us('distributed')],
    },
    {
      name: `p99 / p50 at ${CONNECTIONS} connections`,
      unit: '×',
      aim: 5,
      lower: true,
      values: rounds.map(({ ours }) => ours.run.p99Ms / ours.run.p50Ms),
      lines: latency,
    },
    key,
  ];
  const pairs = rounds.map((round) => [round.stock.cpuUs, round.ours.cpuUs] as const);
  const ratios = [ratioOf('CPU of stock ApolloServer + LocalGraphQLDataSource / ours', 5, pairs, [us('stock')])];
  return { ratios, figures };
}

const KEY_CHECKS = 50_000;

/** In this process: the check needs no server. */
async function keyFigure(): Promise<Figure> {
  const { check, apiKey } = keyCheck();
  const values: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let n = 0; n < KEY_CHECKS; n++) await check.authenticate(apiKey, '127.0.0.1');
    const { user, system } = process.cpuUsage(before);
    // The first round warms up.
    if (round > 0) values.push((user + system) / KEY_CHECKS);
  }
  const lines = [`${KEY_CHECKS} checks a round, each with its HMAC and a comparison in constant time`];
  return { name: 'check of a known API key', unit: 'µs of CPU', aim: 10, lower: true, values, lines };
}
