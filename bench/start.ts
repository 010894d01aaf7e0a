import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost, type Figure } from './support/measure.js';
import { startedService } from './support/started-service.js';

const ROUNDS = 5;

interface Start {
  readonly aliveMs: number;
  readonly servingMs: number;
  /** Processor time of the service, the database and the signer until the first answer. */
  readonly processorMs: number;
}

/** Measures starts of a built tree, from the launch of the process: the first on an empty folder, then on a used one. */
export async function benchStart(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-bench-start-'));
  try {
    const first = await startOnce(folder);
    const later: Start[] = [];
    while (later.length < ROUNDS) later.push(await startOnce(folder));
    const figure = (name: string, aim: number, member: keyof Start): Figure =>
      atMost(name, 'ms', aim, valuesOf(later, member), [`on an empty data folder: ${Math.round(first[member])} ms`]);
    return [
      figure('start to GET /v1/healthz', 1_500, 'aliveMs'),
      figure('start to the answer of another route', 1_500, 'servingMs'),
      figure('processor time of a start, three processes', 2_500, 'processorMs'),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const valuesOf = (starts: readonly Start[], name: keyof Start): number[] => starts.map((start) => start[name]);

async function startOnce(folder: string): Promise<Start> {
  const { aliveMs, servingMs, processes, stop } = await startedService(folder);
  try {
    const times = await Promise.all(processes.map((process) => process.processorMs()));
    return { aliveMs, servingMs, processorMs: times.reduce((sum, ms) => sum + ms, 0) };
  } finally {
    await stop();
  }
}
