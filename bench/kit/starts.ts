// One new process of `npm run bench -- kit`: loads the kit and starts it twice, like two test files of one suite.

/** Sent to the parent, in milliseconds of wall time. */
export interface KitStarts {
  /** Includes loading the kit and the service's code. */
  readonly coldMs: number;
  /** The second start of the same process. */
  readonly warmMs: number;
  readonly coldCpuMs: number;
  readonly warmCpuMs: number;
}

async function timedStart(): Promise<{ readonly ms: number; readonly cpuMs: number }> {
  const from = performance.now();
  const before = process.cpuUsage();
  const { startService } = await import('../../testing-kit/index.js');
  const service = await startService();
  const ms = performance.now() - from;
  const { user, system } = process.cpuUsage(before);
  await service.stop();
  return { ms, cpuMs: (user + system) / 1000 };
}

const cold = await timedStart();
const warm = await timedStart();
const starts: KitStarts = { coldMs: cold.ms, warmMs: warm.ms, coldCpuMs: cold.cpuMs, warmCpuMs: warm.cpuMs };
process.send?.(starts, () => process.exit(0));
