import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type Figure } from './support/measure.js';
import { residentKb } from './support/resident.js';
import { startedService } from './support/started-service.js';

const ROUNDS = 3;
/** The kept code of a program is written ten seconds after its start; after that nothing happens in an idle service. */
const SETTLE_MS = 15_000;
const KIB_A_MIB = 1024;

/** The processes of a service by the program that they run, with their aims in MiB. */
const AIMS: Readonly<Record<string, readonly [name: string, aimMib: number]>> = {
  'app/main.js': ['the service', 180],
  'launch/child-main.js': ['the database', 100],
  'signer/child-main.js': ['the signer', 60],
};

/** Measures the resident memory of each process of an idle service that has answered one request. */
export async function benchIdleMemory(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-bench-memory-'));
  const found = new Map<string, number[]>();
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [program, mib] of await idleMib(folder)) found.set(program, [...(found.get(program) ?? []), mib]);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return Object.entries(AIMS).map(([program, [name, aimMib]]) =>
    atMost(`resident memory of ${name}, idle`, 'MiB', aimMib, found.get(program) ?? [], []),
  );
}

async function idleMib(folder: string): Promise<readonly (readonly [program: string, mib: number])[]> {
  const { processes, stop } = await startedService(folder);
  try {
    await sleep(SETTLE_MS);
    return await Promise.all(
      processes.map(async ({ pid, program }) => [program, (await residentKb(pid, 'VmRSS')) / KIB_A_MIB] as const),
    );
  } finally {
    await stop();
  }
}
