import { readFile, writeFile } from 'node:fs/promises';

/** Resets the peak of the resident memory. @returns the current resident memory in KiB */
export async function restPeak(pid: number): Promise<number> {
  // proc(5): 5 resets the peak resident set size.
  await writeFile(`/proc/${pid}/clear_refs`, '5');
  return residentKb(pid, 'VmRSS');
}

export async function residentKb(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN);
}
