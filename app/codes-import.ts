import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { configFromProcess } from '../shared/config/config.js';
import { ConfigError } from '../shared/config/schema.js';
import { createLogger } from '../shared/telemetry/logger.js';
import { importCodeTable } from '../subgraphs/advocacy/index.js';
import { Closing } from './closing.js';
import { StartRefused } from './data-directory.js';
import { openStores } from './stores.js';

// `npm run codes:import -- FILE`: a table of codes (docs/rules.md). On the embedded database the service is stopped meanwhile; on
// a server of one's own it may run, and reads the new edition within seconds of its end.

const USAGE = 'npm run codes:import -- FILE [--system NAME] [--edition NAME] [--skip-bad-lines]';

const closing = new Closing();
const say = (line: string): void => void process.stdout.write(`${line}\n`);

try {
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
  const config = configFromProcess();
  const { base } = await openStores(config, {}, createLogger(config.logLevel), closing);
  const report = await importCodeTable(base, path, {
    system: values.system ?? null,
    edition: values.edition ?? basename(path).replace(/\.(gz|txt|tsv|csv)/g, ''),
    skipBadLines: values['skip-bad-lines'],
  });
  for (const { line, why } of report.shown) say(`line ${line} ${why}`);
  const { outcome, system, edition, codes, passedOver, badLines } = report;
  if (outcome === 'UNKNOWN') say('this is no table of codes that is known: see docs/rules.md');
  else if (outcome === 'UNCHANGED') say(`${system} ${edition} is imported already`);
  else if (outcome === 'REFUSED') say(`${system}: ${badLines} lines cannot be read; nothing has changed`);
  else say(`${system} ${edition}: ${codes} codes, ${passedOver} passed over, ${badLines} lines not read`);
  if (outcome === 'UNKNOWN' || outcome === 'REFUSED') process.exitCode = 1;
} catch (error) {
  const known = error instanceof ConfigError || error instanceof StartRefused;
  const expected = known || ['ENOENT', 'EACCES', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  process.stderr.write(`${expected ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`);
  process.exitCode = expected ? 2 : 1;
} finally {
  await closing.run();
}
