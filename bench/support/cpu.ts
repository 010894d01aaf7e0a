import { readFileSync } from 'node:fs';

/** Returns the CPU seconds (user and system) of a process; undefined without /proc. */
export function cpuSecondsOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Fields follow the command name, which may hold spaces: utime and stime are the 12th and 13th after it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/** USER_HZ, fixed at 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Processes of a measurement by their name in the report. */
export type Processes = Readonly<Record<string, number>>;

/** Runs `work` and reports the CPU time of each process per item, which is steadier than wall time on a shared machine. */
export async function withCpu<T extends { readonly items: number }>(
  processes: Processes,
  work: () => Promise<T>,
): Promise<{ readonly run: T; readonly cpu: string }> {
  const before = Object.entries(processes).map(([name, pid]) => [name, pid, cpuSecondsOf(pid)] as const);
  const run = await work();
  const parts = before.map(([name, pid, from]) => {
    const to = cpuSecondsOf(pid);
    if (from === undefined || to === undefined) return `${name} unknown`;
    return `${name} ${Math.round(((to - from) / run.items) * 1e6)} µs`;
  });
  return { run, cpu: `CPU per event: ${parts.join(', ')}` };
}
