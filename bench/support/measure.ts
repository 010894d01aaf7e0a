import { cpus, totalmem } from 'node:os';

/** The machine in one line, printed above every figure. */
export function machine(): string {
  const [first] = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  return `${first?.model ?? 'unknown processor'}, ${cpus().length} cores, ${memory} GiB, Node ${process.version}`;
}

/** The result of one timed run. */
export interface Run {
  readonly items: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Runs `calls` calls, `concurrency` at a time; each call returns its number of items. */
export async function timed(calls: number, concurrency: number, call: (n: number) => Promise<number>): Promise<Run> {
  const latencies: number[] = [];
  let next = 0;
  let items = 0;
  const lane = async (): Promise<void> => {
    for (let n = next++; n < calls; n = next++) {
      const from = performance.now();
      // Not `items += await …`, which reads the sum before the wait and loses the additions of other lanes.
      const done = await call(n);
      items += done;
      latencies.push(performance.now() - from);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: concurrency }, lane));
  const seconds = (performance.now() - start) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return { items, seconds, perSecond: items / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** A ratio measured in pairs, A and B alternately, so that a drift of the machine affects both alike. */
export interface Ratio {
  readonly name: string;
  /** Undefined if the ratio only explains another. */
  readonly aim: number | undefined;
  readonly ratio: number;
  readonly min: number;
  readonly max: number;
  readonly lines: readonly string[];
}

export function ratioOf(
  name: string,
  aim: number | undefined,
  pairs: readonly (readonly [number, number])[],
  lines: string[],
): Ratio {
  const ratios = pairs.map(([ours, base]) => ours / base);
  return { name, aim, ratio: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios), lines };
}

export const describeRun = (label: string, run: Run): string =>
  `${label}: ${Math.round(run.perSecond)} items/s, p50 ${run.p50Ms.toFixed(1)} ms, p99 ${run.p99Ms.toFixed(1)} ms a call`;

function printRatio({ name, aim, ratio, min, max, lines }: Ratio, say: (text: string) => void): void {
  say(`\n${name}`);
  for (const line of lines) say(`  ${line}`);
  const spread = min === max ? '' : ` (${min.toFixed(2)}–${max.toFixed(2)})`;
  const verdict = aim === undefined ? '' : `, aim ${aim.toFixed(2)}: ${ratio >= aim ? 'reached' : 'missed'}`;
  say(`  ratio ${ratio.toFixed(2)}${spread}${verdict}`);
}

/** A figure with an absolute aim, measured several times. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly aim: number;
  readonly values: readonly number[];
  readonly lines: readonly string[];
  /** True if the aim is an upper bound. */
  readonly lower?: boolean;
}

type FigureParts = readonly [
  name: string,
  unit: string,
  aim: number,
  values: readonly number[],
  lines?: readonly string[],
];

/** A figure with an upper bound. */
export const atMost = (...[name, unit, aim, values, lines = []]: FigureParts): Figure => ({
  ...atLeast(name, unit, aim, values, lines),
  lower: true,
});

/** A figure with a lower bound. */
export const atLeast = (...[name, unit, aim, values, lines = []]: FigureParts): Figure => ({
  name,
  unit,
  aim,
  values,
  lines,
});

/** The figures and ratios of one benchmark, in the order of its report. */
export type Results = Figure | Ratio | { readonly [part: string]: Results } | readonly Results[];

export function printResults(results: Results, say: (text: string) => void): void {
  if (isFigure(results)) printFigure(results, say);
  else if (isRatio(results)) printRatio(results, say);
  else for (const part of Object.values(results)) printResults(part, say);
}

const isFigure = (results: Results): results is Figure => 'unit' in results;
const isRatio = (results: Results): results is Ratio => typeof Object(results).ratio === 'number';

function printFigure({ name, unit, aim, values, lines, lower }: Figure, say: (text: string) => void): void {
  say(`\n${name}`);
  for (const line of lines) say(`  ${line}`);
  const middle = median(values);
  const digits = middle < 10 ? 2 : 0;
  const spread =
    values.length > 1 ? ` (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})` : '';
  const reached = lower === true ? middle <= aim : middle >= aim;
  const bound = lower === true ? 'at most' : 'at least';
  say(`  ${middle.toFixed(digits)} ${unit}${spread}, aim ${bound} ${aim}: ${reached ? 'reached' : 'missed'}`);
}
