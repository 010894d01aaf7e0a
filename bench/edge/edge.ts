import { atMost, type Figure, median, type Ratio, type Results, type Run, ratioOf, timed } from '../support/measure.js';
import { CONNECTIONS, type EdgeProcess, startEdge } from './edge-process.js';
import type { CpuMessage } from './roles.js';
import { keyCheck } from './stand-in.js';

const WARM_UP = 10_000;
const CALLS = 4_000;
const ROUNDS = 5;

const WAYS = ['floor', 'ours', 'distributed', 'stock', 'stockBare'] as const;
type Way = (typeof WAYS)[number];
type Round = Readonly<Record<Way, Measured>>;

interface Measured extends CpuMessage {
  readonly run: Run;
}

/** Measures the processor time per read over `CALLS` reads on 32 connections. */
async function measure(processes: readonly EdgeProcess[]): Promise<Measured> {
  const [asked] = processes;
  if (!asked) throw new Error('nothing to measure');
  const used = (): Promise<CpuMessage[]> => Promise.all(processes.map((it) => it.cpu()));
  const before = await used();
  const run = await timed(CALLS, CONNECTIONS, asked.read);
  const after = await used();
  const each = (part: keyof CpuMessage): number => (sumOf(after, part) - sumOf(before, part)) / CALLS;
  return { userUs: each('userUs'), systemUs: each('systemUs'), run };
}

const sumOf = (messages: readonly CpuMessage[], part: keyof CpuMessage): number =>
  messages.reduce((sum, message) => sum + message[part], 0);

/**
 * Measures the edge. Every round measures each way once, so that a drift of the machine affects all alike. `floor` sends the
 * same bytes for the same request from a bare HTTP server; the overhead of a way is its user time beyond the floor. All ways
 * make the same system calls (except for the log line); their cost depends on whether the client sleeps at that moment.
 */
export async function benchEdge(): Promise<Results> {
  const ours = await startEdge('in-process');
  const subgraph = await startEdge('subgraph');
  const distributed = await startEdge('distributed', subgraph.url);
  const floor = await startEdge('floor', JSON.stringify(await ours.answer()));
  const stock = await startEdge('stock');
  const stockBare = await startEdge('stock-bare');
  const processes: Readonly<Record<Way, readonly EdgeProcess[]>> = {
    floor: [floor],
    ours: [ours],
    distributed: [distributed, subgraph],
    stock: [stock],
    stockBare: [stockBare],
  };
  try {
    for (const [asked] of Object.values(processes)) if (asked) await timed(WARM_UP, CONNECTIONS, asked.read);
    const rounds: Round[] = [];
    while (rounds.length < ROUNDS) {
      const round: Partial<Record<Way, Measured>> = {};
      for (const way of WAYS) round[way] = await measure(processes[way]);
      rounds.push(round as Round);
    }
    return { ratios: ratiosOf(rounds), figures: [...figuresOf(rounds), await keyFigure()] };
  } finally {
    for (const it of [ours, subgraph, distributed, floor, stock, stockBare]) await it.stop();
  }
}

const overFloor = (round: Round, way: Way): number => round[way].userUs - round.floor.userUs;
const wholeOf = ({ userUs, systemUs }: CpuMessage): number => userUs + systemUs;

const told = (rounds: readonly Round[], way: Way, name: string): string => {
  const each = rounds.map((round) => `${Math.round(round[way].userUs)} + ${Math.round(round[way].systemUs)}`);
  return `${name}: ${each.join(', ')} µs of CPU a request (user + system)`;
};

function figuresOf(rounds: readonly Round[]): Figure[] {
  const latencies = rounds.map(({ ours: { run } }) => `p50 ${run.p50Ms.toFixed(2)} ms, p99 ${run.p99Ms.toFixed(2)} ms`);
  return [
    atMost(
      'one-subgraph read in one process: facade, gateway and resolver, beyond a bare HTTP server with the same answer',
      'µs of CPU',
      120,
      rounds.map((round) => overFloor(round, 'ours')),
      [told(rounds, 'ours', 'ours'), told(rounds, 'floor', 'bare node:http')],
    ),
    atMost(
      'the same distributed, facade and subgraph together / in one process (whole requests)',
      '×',
      2.5,
      rounds.map((round) => wholeOf(round.distributed) / wholeOf(round.ours)),
      [told(rounds, 'distributed', 'distributed')],
    ),
    atMost(
      `p99 / p50 at ${CONNECTIONS} connections, median of rounds`,
      '×',
      5,
      rounds.map(({ ours: { run } }) => run.p99Ms / run.p50Ms),
      latencies,
    ),
  ];
}

function ratiosOf(rounds: readonly Round[]): Ratio[] {
  const pairs = (way: Way) => rounds.map((round) => [overFloor(round, way), overFloor(round, 'ours')] as const);
  const overhead = (way: Way): string =>
    `beyond the floor: ${Math.round(median(rounds.map((round) => overFloor(round, way))))} µs`;
  return [
    ratioOf(
      'our facade over stock ApolloServer + LocalGraphQLDataSource / ours, overheads (same key, limits, log on both sides)',
      5,
      pairs('stock'),
      [told(rounds, 'stock', 'facade over stock'), overhead('stock')],
    ),
    ratioOf(
      'stock ApolloServer on Fastify without key, limits, log or metrics / ours with all of them, overheads',
      undefined,
      pairs('stockBare'),
      [told(rounds, 'stockBare', 'stock alone'), overhead('stockBare')],
    ),
  ];
}

const KEY_CHECKS = 50_000;

/** Runs in this process, because the check needs no server. */
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
