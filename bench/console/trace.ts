import type { Browser, Page } from 'playwright-core';

// Reads Chromium's own trace of a page: what its main thread did, in microseconds.

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly ts: number;
  readonly dur?: number;
  /** Time of the processor: other programs of the machine do not count. */
  readonly tdur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string; readonly data?: { readonly frame?: string } };
}

interface Span {
  readonly fromUs: number;
  readonly toUs: number;
  readonly cpuUs: number;
}

/** Script of the page, as the trace names it. Spans within spans count once. */
const SCRIPT: ReadonlySet<string> = new Set([
  'EvaluateScript',
  'EventDispatch',
  'FireAnimationFrame',
  'FunctionCall',
  'RunMicrotasks',
  'TimerFire',
]);

export interface Work {
  /** Longest task of the main thread. */
  readonly longestTaskMs: number;
  /** Longest time of the processor that a task took. */
  readonly longestCpuMs: number;
  /** Tasks of more than 50 ms. */
  readonly stalls: number;
  /** Time of the processor for script, of each frame with script, in ascending order. */
  readonly scriptMs: readonly number[];
}

/** Traces a page while it works. */
export async function traced(browser: Browser, page: Page, work: () => Promise<void>): Promise<Work> {
  await browser.startTracing(page, {
    categories: [
      '-*',
      'devtools.timeline',
      ...['', '.frame'].map((part) => `disabled-by-default-devtools.timeline${part}`),
    ],
  });
  await work();
  // The trace is Chromium's JSON; only members that it documents are read.
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString('utf8')) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  return workOf(mainThread(traceEvents));
}

/** Events of the thread that runs most script: the main thread of the page. */
function mainThread(events: readonly TraceEvent[]): readonly TraceEvent[] {
  const scripted = new Map<string, number>();
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  for (const event of events) {
    if (event.ph !== 'X' || !SCRIPT.has(event.name)) continue;
    scripted.set(threadOf(event), (scripted.get(threadOf(event)) ?? 0) + (event.dur ?? 0));
  }
  const [busiest] = [...scripted].sort(([, a], [, b]) => b - a);
  if (busiest === undefined) throw new Error('the trace has no script');
  return events.filter((event) => threadOf(event) === busiest[0]).sort((a, b) => a.ts - b.ts);
}

function workOf(events: readonly TraceEvent[]): Work {
  const tasks = outermost(events, (name) => name === 'RunTask');
  if (tasks.length === 0) throw new Error('the trace has no tasks');
  const taskMs = tasks.map(({ fromUs, toUs }) => (toUs - fromUs) / 1_000);
  const script = outermost(events, (name) => SCRIPT.has(name));
  const begins = events.filter(({ name }) => name === 'BeginMainThreadFrame').map(({ ts }) => ts);
  if (begins.length < 2) throw new Error('the trace has no frames');
  const frames = new Map<number, number>();
  for (const { fromUs, cpuUs } of script) {
    const frame = begins.findLastIndex((begin) => begin <= fromUs);
    frames.set(frame, (frames.get(frame) ?? 0) + cpuUs / 1_000);
  }
  return {
    longestTaskMs: Math.max(...taskMs),
    longestCpuMs: Math.max(...tasks.map(({ cpuUs }) => cpuUs / 1_000)),
    stalls: taskMs.filter((ms) => ms > 50).length,
    scriptMs: [...frames.values()].sort((a, b) => a - b),
  };
}

/** Complete spans of some names, without those inside others. @param events in the order of time. */
function outermost(events: readonly TraceEvent[], isWanted: (name: string) => boolean): readonly Span[] {
  const spans: Span[] = [];
  let endUs = Number.NEGATIVE_INFINITY;
  for (const { name, ph, ts, dur = 0, tdur = dur } of events) {
    if (ph !== 'X' || !isWanted(name) || ts < endUs) continue;
    endUs = ts + dur;
    spans.push({ fromUs: ts, toUs: endUs, cpuUs: tdur });
  }
  return spans;
}
