import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** How often the monitor's timer fires; a stall shows as the time beyond that. */
const resolutionMs = 10;

export interface LoopDelay {
  /** The longest time nobody was served. */
  readonly maxStallMs: number;
  readonly p99StallMs: number;
  readonly meanStallMs: number;
  readonly samples: number;
}

/** Watches how long the event loop is kept from its timers: every client waits for as long. */
export class LoopMonitor {
  private readonly histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs });

  start(): void {
    this.histogram.enable();
  }

  stop(): void {
    this.histogram.disable();
  }

  reset(): void {
    this.histogram.reset();
  }

  /** Since the start or the last reset. */
  read(): LoopDelay {
    const { histogram } = this;
    if (histogram.count === 0) return { maxStallMs: 0, p99StallMs: 0, meanStallMs: 0, samples: 0 };
    return {
      maxStallMs: stallMs(histogram.max),
      p99StallMs: stallMs(histogram.percentile(99)),
      meanStallMs: stallMs(histogram.mean),
      samples: histogram.count,
    };
  }
}

/** The histogram holds whole intervals, in nanoseconds. */
function stallMs(intervalNs: number): number {
  return Math.max(0, Math.round(intervalNs / 10_000) / 100 - resolutionMs);
}
