import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { progressLines } from '../../shared/progress/progress.js';
import { runServiceCommand } from '../support/commands.js';

/** The lines that reports at these times give, by a clock of the test. */
function linesOf(
  reports: readonly (readonly [atMs: number, done: number, total: number | null])[],
  options: { readonly unit?: string; readonly asJson?: boolean } = {},
): string[] {
  const lines: string[] = [];
  let nowMs = 0;
  const report = progressLines({
    unit: 'events',
    asJson: false,
    everyMs: 5_000,
    nowMs: () => nowMs,
    write: (line) => lines.push(line),
    ...options,
  });
  for (const [atMs, done, total] of reports) {
    nowMs = atMs;
    report(done, total);
  }
  return lines;
}

describe('the progress of a command', () => {
  it('is a line in five seconds at most, with count, rate and time left; short work has none', () => {
    expect(
      linesOf([
        [100, 10, 100],
        [4_900, 90, 100],
      ]),
    ).toEqual([]);
    expect(
      linesOf([
        [0, 0, 100_000],
        [5_000, 10_000, 100_000],
        [6_000, 20_000, 100_000],
        [10_000, 40_000, 100_000],
      ]),
    ).toEqual([
      '10,000 events of 100,000 events, 2,000 events a second, 45 s left',
      '40,000 events of 100,000 events, 4,000 events a second, 15 s left',
    ]);
  });

  it('counts the rate from where a continued command began, and says hours and minutes', () => {
    expect(
      linesOf([
        [0, 1_000_000, 2_000_000],
        [10_000, 1_001_000, 2_000_000],
      ]),
    ).toEqual(['1,001,000 events of 2,000,000 events, 100 events a second, 2 h 47 min left']);
  });

  it('shows bytes as MiB, and no time left without a total', () => {
    expect(
      linesOf(
        [
          [0, 0, null],
          [8_000, 8 * 1024 ** 2, null],
        ],
        { unit: 'bytes' },
      ),
    ).toEqual(['8.0 MiB, 1.0 MiB a second']);
  });

  it('is an object a line for programs', () => {
    const [line] = linesOf(
      [
        [0, 0, 10],
        [5_000, 5, 10],
      ],
      { asJson: true },
    );
    expect(JSON.parse(line ?? '')).toEqual({
      progress: { unit: 'events', done: 5, total: 10, per_second: 1, seconds_left: 5 },
    });
  });
});

describe('a maintenance command with --json', () => {
  it('prints its result as an object a line', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'progress-'));
    try {
      const file = join(folder, 'pos.tsv');
      await writeFile(file, 'code\tdescription\n11\tOffice\n21\tHospital\n');
      const env = { SERVICE_DATA_DIR: join(folder, 'data') };
      const { code, text } = await runServiceCommand('codes-import', [file, '--system', 'POS', '--json'], env);
      expect([code, JSON.parse(text)]).toEqual([
        0,
        {
          message: expect.stringMatching(/^POS pos-[0-9a-f]{12}: 2 codes, 0 skipped, 0 lines not read$/),
          outcome: 'IMPORTED',
          system: 'POS',
          edition: expect.stringMatching(/^pos-/),
          codes: 2,
          passed_over: 0,
          bad_lines: 0,
        },
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
