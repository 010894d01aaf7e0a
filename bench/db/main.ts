import { machine, printResults, type Results } from '../support/measure.js';
import { startServer } from './bench-server.js';
import { benchGridFs } from './grid-fs.js';
import { benchLarge } from './large.js';
import { benchPoints, benchRanges, fillForReads } from './reads.js';
import { benchSoak } from './soak.js';
import { benchInserts, benchModify } from './writes.js';

// `npm run bench:db [-- inserts modify points ranges gridfs growth start] [--soak-minutes N]`: compares the embedded database
// with the limits of its foundations, each pair measured alternately in one run.

const PARTS = ['inserts', 'modify', 'points', 'ranges', 'gridfs', 'growth', 'start'] as const;
type Part = (typeof PARTS)[number];

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

interface Wanted {
  readonly parts: ReadonlySet<Part>;
  readonly soakMinutes: number;
}

function wanted(): Wanted {
  const named = process.argv.slice(2);
  const flag = named.indexOf('--soak-minutes');
  const soakMinutes = flag < 0 ? 0 : Number(named[flag + 1]);
  if (flag >= 0) {
    if (!(soakMinutes > 0)) throw new Error('--soak-minutes needs a number of minutes');
    named.splice(flag, 2);
  }
  for (const name of named) {
    if (!PARTS.some((part) => part === name)) throw new Error(`unknown part ${name}; known: ${PARTS.join(', ')}`);
  }
  const all = named.length === 0 && flag < 0;
  return { parts: new Set(PARTS.filter((part) => all || named.includes(part))), soakMinutes };
}

const show = (results: Results): void => printResults(results, say);

const { parts, soakMinutes } = wanted();
say(`machine: ${machine()}`);
const server = await startServer();
try {
  if (parts.has('inserts')) show(await benchInserts(server));
  if (parts.has('modify')) show(await benchModify(server));
  if (parts.has('points') || parts.has('ranges')) await fillForReads(server);
  if (parts.has('points')) show(await benchPoints(server));
  if (parts.has('ranges')) show(await benchRanges(server));
  if (parts.has('gridfs')) show(await benchGridFs(server));
  if (soakMinutes > 0) show(await benchSoak(server, soakMinutes));
} finally {
  await server.stop();
}
if (parts.has('growth') || parts.has('start')) {
  show(await benchLarge({ growth: parts.has('growth'), start: parts.has('start') }));
}
