/** Receives the progress of a long piece of work. `total` is null while it is unknown. */
export type ReportProgress = (done: number, total: number | null) => void;

/** Shorter commands report no progress. */
export const PROGRESS_EVERY_MS = 5_000;

interface Line {
  readonly done: number;
  readonly total: number | null;
  readonly perSecond: number;
  readonly secondsLeft: number | null;
}

interface ProgressOptions {
  /** Unit of the count: `events`, `bytes`. */
  readonly unit: string;
  readonly write: (line: string) => void;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
  readonly asJson: boolean;
  /** Least time between two lines. */
  readonly everyMs: number;
}

/**
 * Makes a reporter that writes a line at most once in `everyMs`: count, rate and time left. Short work writes none. The
 * rate counts from the first report, because a continued command begins where an earlier one ended.
 */
export function progressLines({ unit, write, nowMs, asJson, everyMs }: ProgressOptions): ReportProgress {
  let first: { readonly atMs: number; readonly done: number } | null = null;
  let writtenMs = nowMs();
  return (done, total) => {
    const atMs = nowMs();
    first ??= { atMs, done };
    if (atMs - writtenMs < everyMs) return;
    writtenMs = atMs;
    const seconds = (atMs - first.atMs) / 1_000;
    const perSecond = seconds > 0 ? (done - first.done) / seconds : 0;
    const secondsLeft = total === null || perSecond <= 0 ? null : Math.max(0, total - done) / perSecond;
    const line = { done, total, perSecond, secondsLeft };
    write(asJson ? jsonOf(unit, line) : textOf(unit, line));
  };
}

const jsonOf = (unit: string, { done, total, perSecond, secondsLeft }: Line): string =>
  JSON.stringify({
    progress: {
      unit,
      done,
      total,
      per_second: Math.round(perSecond),
      seconds_left: secondsLeft === null ? null : Math.round(secondsLeft),
    },
  });

function textOf(unit: string, { done, total, perSecond, secondsLeft }: Line): string {
  const count = total === null ? countOf(unit, done) : `${countOf(unit, done)} of ${countOf(unit, total)}`;
  const left = secondsLeft === null ? '' : `, ${timeOf(secondsLeft)} left`;
  return `${count}, ${countOf(unit, Math.round(perSecond))} a second${left}`;
}

const BYTES_A_MIB = 1024 ** 2;

const countOf = (unit: string, count: number): string =>
  unit === 'bytes' ? `${(count / BYTES_A_MIB).toFixed(1)} MiB` : `${count.toLocaleString('en-US')} ${unit}`;

const SECONDS_A_MINUTE = 60;
const MINUTES_AN_HOUR = 60;

function timeOf(seconds: number): string {
  if (seconds < SECONDS_A_MINUTE) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / SECONDS_A_MINUTE);
  if (minutes < MINUTES_AN_HOUR) return `${minutes} min`;
  return `${Math.floor(minutes / MINUTES_AN_HOUR)} h ${minutes % MINUTES_AN_HOUR} min`;
}
