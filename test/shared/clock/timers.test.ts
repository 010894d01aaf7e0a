import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { repeat } from '../../../shared/clock/timers.js';

describe('a repeated task', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('runs again after the previous run has ended, never two at once', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const repeating = repeat(
      10,
      async () => {
        running++;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 25));
        running--;
        runs++;
      },
      () => undefined,
    );
    await jest.advanceTimersByTimeAsync(120);
    expect(runs).toBe(3);
    expect(most).toBe(1);
    const stopped = repeating.stop();
    await jest.advanceTimersByTimeAsync(100);
    await stopped;
    expect(running).toBe(0);
    expect(runs).toBe(4);
  });

  it('continues after a failed run, and reports it', async () => {
    const errors: unknown[] = [];
    let runs = 0;
    const repeating = repeat(
      10,
      async () => {
        runs++;
        throw new Error(`run ${runs}`);
      },
      (error) => errors.push(error),
    );
    await jest.advanceTimersByTimeAsync(25);
    await repeating.stop();
    expect(errors).toEqual([new Error('run 1'), new Error('run 2')]);
  });
});
