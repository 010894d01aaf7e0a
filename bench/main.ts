import { LEDGER_COLLECTION } from '../subgraphs/ledger/model/ledger-model.js';
import { benchDashboard } from './dashboard.js';
import { benchEdge } from './edge/edge.js';
import { benchBatches, benchSingles, type IngestSizes } from './ingest.js';
import { benchKit } from './kit/kit.js';
import { machine, printFigure, printRatio, type Ratio, ratioOf } from './support/measure.js';
import { type Stack, startStack } from './support/stack.js';
import { dropTwins } from './support/twins.js';
import { benchVerify } from './verify.js';
import { benchX12 } from './x12.js';

// `npm run bench [-- batches singles verify x12 dashboard edge kit]`: ratios of one run on one database, each pair measured in turn.

const NAMES = { ledger: LEDGER_COLLECTION, segments: /^worm_log_/ };
const SIZES: IngestSizes = { rounds: 3, batches: 40, singles: 4_000 };
const VERIFY_ROUNDS = 3;
const DASHBOARD_ROUNDS = 3;

const PARTS = ['batches', 'singles', 'verify', 'x12', 'dashboard', 'edge', 'kit'] as const;
type Part = (typeof PARTS)[number];

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

function wanted(): ReadonlySet<Part> {
  const named = process.argv.slice(2);
  for (const name of named) {
    if (!PARTS.some((part) => part === name)) throw new Error(`unknown part ${name}; known: ${PARTS.join(', ')}`);
  }
  return new Set(named.length > 0 ? PARTS.filter((part) => named.includes(part)) : PARTS);
}

async function x12Ratio(): Promise<Ratio> {
  const figures = await benchX12();
  const faster = Math.max(figures.x12ParserMbPerSecond, figures.nodeX12MbPerSecond);
  const line =
    `ours with mapping ${figures.oursMbPerSecond.toFixed(1)} MB/s, x12-parser ${figures.x12ParserMbPerSecond.toFixed(1)}, ` +
    `node-x12 ${figures.nodeX12MbPerSecond.toFixed(1)} (${figures.fileMegabytes.toFixed(0)} MB, ${figures.claims} claims)`;
  return ratioOf('X12 837 with mapping / the faster npm parser bare', 1.5, [[figures.oursMbPerSecond, faster]], [line]);
}

async function stackRatios(stack: Stack, parts: ReadonlySet<Part>): Promise<Ratio[]> {
  const ratios: Ratio[] = [];
  if (parts.has('batches')) ratios.push(await benchBatches(stack, NAMES, SIZES));
  if (parts.has('singles')) ratios.push(await benchSingles(stack, NAMES, SIZES));
  if (parts.has('verify')) {
    if (ratios.length === 0) await benchBatches(stack, NAMES, { ...SIZES, rounds: 1 });
    ratios.push(await benchVerify(stack, VERIFY_ROUNDS));
  }
  if (parts.has('dashboard')) ratios.push(await benchDashboard(stack, NAMES.ledger, { rounds: DASHBOARD_ROUNDS }));
  return ratios;
}

const parts = wanted();
say(`machine: ${machine()}`);
const ratios: Ratio[] = [];
if (parts.has('x12')) ratios.push(await x12Ratio());
if (['batches', 'singles', 'verify', 'dashboard'].some((part) => parts.has(part as Part))) {
  const stack = await startStack();
  try {
    ratios.push(...(await stackRatios(stack, parts)));
    await dropTwins(stack.raw.db('eas'), stack.raw.db('eas_worm'));
  } finally {
    await stack.stop();
  }
}
for (const ratio of ratios) printRatio(ratio, say);
if (parts.has('edge')) {
  const edge = await benchEdge();
  for (const figure of edge.figures) printFigure(figure, say);
  for (const ratio of edge.ratios) printRatio(ratio, say);
}
if (parts.has('kit')) for (const figure of await benchKit()) printFigure(figure, say);
