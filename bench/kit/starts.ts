// One new process of `npm run bench -- kit`: loads the kit and starts it twice, like two test files of one suite.

import { pathToFileURL } from 'node:url';
import type { StartService } from '../../testing-kit/api.js';

/** The kit's module. */
const [, , kit = ''] = process.argv;

/** Sent to the parent, in milliseconds of wall time. */
export interface KitStarts {
  /** Includes loading the kit and the service's code. */
  readonly coldMs: number;
  /** The second start of the same process. */
  readonly warmMs: number;
  readonly coldCpuMs: number;
  readonly warmCpuMs: number;
  /** A new tenant of a service that runs already, as suites share one. */
  readonly tenantMs: number;
}

interface Timed {
  readonly ms: number;
  readonly cpuMs: number;
  readonly tenantMs: number;
}

async function timedStart(): Promise<Timed> {
  const from = performance.now();
  const before = process.cpuUsage();
  const { startService }: { readonly startService: StartService } = await import(pathToFileURL(kit).href);
  const service = await startService();
  const ms = performance.now() - from;
  const { user, system } = process.cpuUsage(before);
  const asked = performance.now();
  await service.newTenant();
  const tenantMs = performance.now() - asked;
  await service.stop();
  return { ms, cpuMs: (user + system) / 1000, tenantMs };
}

const cold = await timedStart();
const warm = await timedStart();
const starts: KitStarts = {
  coldMs: cold.ms,
  warmMs: warm.ms,
  coldCpuMs: cold.cpuMs,
  warmCpuMs: warm.cpuMs,
  tenantMs: warm.tenantMs,
};
process.send?.(starts, () => process.exit(0));
