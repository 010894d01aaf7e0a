import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { importCodeTable } from '../../subgraphs/advocacy/index.js';
import { StartRefused } from '../data-directory.js';
import { runCommand } from './run-command.js';

// `npm run codes:import -- FILE` loads a code table (docs/rules.md). Stop the service first when it runs on the embedded
// database; on a MongoDB it may run, and reads the new edition within seconds.

const USAGE = 'usage: npm run codes:import -- FILE [--system NAME] [--edition NAME] [--skip-bad-lines]';

void runCommand(async (command) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      system: { type: 'string' },
      edition: { type: 'string' },
      'skip-bad-lines': { type: 'boolean', default: false },
    },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new StartRefused(USAGE);
  const { base } = await command.openStores();
  const progress = command.progress('bytes');
  const report = await importCodeTable(base, path, {
    system: values.system ?? null,
    edition: values.edition ?? basename(path).replace(/\.(gz|txt|tsv|csv)/g, ''),
    skipBadLines: values['skip-bad-lines'],
    report: progress,
  });
  for (const { line, why } of report.shown) command.say(`line ${line} ${why}`);
  const { outcome, system, edition, codes, passedOver, badLines } = report;
  const lines: Readonly<Record<string, string>> = {
    UNKNOWN: 'the file has no known table layout: see docs/rules.md',
    UNCHANGED: `${system} ${edition} is imported already`,
    REFUSED: `${system}: ${badLines} lines cannot be read; nothing has changed`,
  };
  command.say(
    lines[outcome] ?? `${system} ${edition}: ${codes} codes, ${passedOver} skipped, ${badLines} lines not read`,
    { outcome, system, edition, codes, passed_over: passedOver, bad_lines: badLines },
  );
  return outcome !== 'UNKNOWN' && outcome !== 'REFUSED';
});
