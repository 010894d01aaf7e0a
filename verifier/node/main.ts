import { readFile } from 'node:fs/promises';
import { systemClock } from '../../shared/clock/clock.js';
import { PROGRESS_EVERY_MS, progressLines, type ReportProgress } from '../../shared/progress/progress.js';
import type { VerifyOptions } from '../checks/context.js';
import { USAGE_EXIT_CODE, type VerificationReport } from '../report.js';
import { reportText } from '../report-text.js';
import { fromUtf8 } from '../text/bytes.js';
import { UsageFault } from '../trust/key-set.js';
import { verifyBundle } from '../verify-bundle.js';
import { type CommandLine, type FileOption, readCommandLine, USAGE } from './command-line.js';
import { openFileSource } from './file-source.js';
import { JudgePool, servesAsJudge } from './judge-pool.js';
import { nodePlatform } from './node-platform.js';
import { verifyTimestamp } from './openssl-timestamp.js';

// The command in every bundle, verify/verify.mjs: one file, no packages, no network.

async function optionsOf({ files, keys, checkpointKeys }: CommandLine): Promise<VerifyOptions> {
  const bytes = async (name: FileOption): Promise<Uint8Array | undefined> => {
    const path = files.get(name);
    return path === undefined ? undefined : readFile(path).catch(() => unreadable(path));
  };
  const text = async (name: FileOption): Promise<string | undefined> => {
    const read = await bytes(name);
    return read === undefined ? undefined : (fromUtf8(read) ?? unreadable(files.get(name) ?? ''));
  };
  const given = {
    keySet: await text('--keys'),
    checkpoint: await text('--checkpoint'),
    consistency: await text('--consistency'),
    timestamp: await bytes('--timestamp'),
    timestampAuthorities: await bytes('--tsa-ca'),
  };
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { keys, checkpointKeys, ...present };
}

const unreadable = (path: string): never => {
  throw new UsageFault(`cannot read ${path}`);
};

async function verified(command: CommandLine): Promise<VerificationReport> {
  const options = await optionsOf(command);
  const source = await openFileSource(command.bundle, progressOf(command)).catch(() => unreadable(command.bundle));
  const records = new JudgePool();
  try {
    return await verifyBundle(source, { ...nodePlatform, verifyTimestamp, records }, options);
  } finally {
    await records.close();
    await source.close();
  }
}

/** A large bundle takes minutes: standard error has a line in five seconds with bytes, rate and time left. */
const progressOf = ({ json }: CommandLine): ReportProgress =>
  progressLines({
    unit: 'bytes',
    asJson: json,
    everyMs: PROGRESS_EVERY_MS,
    nowMs: () => systemClock.monotonicMs(),
    write: (line) => process.stderr.write(`${line}\n`),
  });

async function main(): Promise<number> {
  const command = readCommandLine(process.argv.slice(2));
  if (command === undefined) {
    process.stdout.write(USAGE);
    return 0;
  }
  const report = await verified(command);
  process.stdout.write(command.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report));
  return report.exit_code;
}

// In a worker thread this file only verifies batches.
if (!servesAsJudge()) {
  process.exitCode = await main().catch((fault: unknown) => {
    if (!(fault instanceof UsageFault)) throw fault;
    process.stderr.write(`${fault.message}\n\n${USAGE}`);
    return USAGE_EXIT_CODE;
  });
}
