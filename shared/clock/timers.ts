/** Services use these timers instead of node:timers, so that every wait can be stopped. */
export interface Repeating {
  stop(): Promise<void>;
}

/**
 * Runs `task` every `intervalMs` after the previous run has ended; never two at once, never keeps the process alive.
 * A failing run is reported and the next one still comes. `stop()` waits for a run under way.
 */
export function repeat(intervalMs: number, task: () => Promise<void>, onError: (error: unknown) => void): Repeating {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const arm = (): void => {
    timer = setTimeout(() => {
      running = task()
        .catch(onError)
        .then(() => {
          if (!stopped) arm();
        });
    }, intervalMs);
    timer.unref();
  };
  arm();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Runs `task` once after `ms`, unless cleared with clearTimeout. Never keeps the process alive. */
export function runLater(ms: number, task: () => void): NodeJS.Timeout {
  const timer = setTimeout(task, ms);
  timer.unref();
  return timer;
}

export const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Lets everything that waits have its turn: called between slices of long computations. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Resolves like `promise`, or with undefined after `ms`; the promise itself continues. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), undefined);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
