import { fork } from 'node:child_process';
import { repositoryFile } from '../../app/repository.js';
import { atMost, type Figure } from '../support/measure.js';
import { installedBytes } from './installed-size.js';
import type { KitStarts } from './starts.js';

const ROUNDS = 5;
const FIRST_START_MS = 1_500;
const LATER_START_MS = 300;
const MAX_INSTALLED_MB = 80;

/** Measures starts of the testing kit in new processes: the first and the second start of a process. */
export async function benchKit(): Promise<readonly Figure[]> {
  // Builds the kit that the rounds below start.
  const installedMb = (await installedBytes()) / 1e6;
  const rounds: KitStarts[] = [];
  while (rounds.length < ROUNDS) rounds.push(await startsOfOneProcess());
  const figure = (name: string, aimMs: number, wall: keyof KitStarts, cpu: keyof KitStarts): Figure =>
    atMost(
      `startService() of the testing kit, ${name}`,
      'ms',
      aimMs,
      rounds.map((round) => round[wall]),
      [`of processor time: ${rounds.map((round) => Math.round(round[cpu])).join(', ')} ms`],
    );
  return [
    figure('in a fresh process, with loading the code', FIRST_START_MS, 'coldMs', 'coldCpuMs'),
    figure('again in the same process', LATER_START_MS, 'warmMs', 'warmCpuMs'),
    atMost(
      'newTenant() of the testing kit, for suites that share a service',
      'ms',
      LATER_START_MS,
      rounds.map(({ tenantMs }) => tenantMs),
    ),
    atMost('the testing kit and the packages that it installs', 'MB', MAX_INSTALLED_MB, [installedMb]),
  ];
}

function startsOfOneProcess(): Promise<KitStarts> {
  const kit = repositoryFile('testing-kit/dist/service/dist/testing-kit/index.js');
  const child = fork(repositoryFile('dist/bench/kit/starts.js'), [kit], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as KitStarts));
    child.once('exit', (code) => reject(new Error(`the kit's process ended with ${code} before it told its times`)));
  });
}
