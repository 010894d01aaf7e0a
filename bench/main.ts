import { LEDGER_COLLECTION } from '../subgraphs/ledger/model/ledger-model.js';
import { benchAdvocacy } from './advocacy.js';
import { benchBundles } from './bundles.js';
import { benchDashboard } from './dashboard.js';
import { benchEdge } from './edge/edge.js';
import { benchFhir } from './fhir.js';
import { benchGraph } from './graph.js';
import { benchGraphIngest } from './graph-ingest.js';
import { benchHl7 } from './hl7.js';
import { benchBatches, benchSingles, type IngestSizes } from './ingest.js';
import { benchKit } from './kit/kit.js';
import { benchLargeBody } from './large.js';
import { benchMembers } from './members/search.js';
import { benchMllp } from './mllp.js';
import { benchNcpdp } from './ncpdp.js';
import { benchRules } from './rules.js';
import { benchSearch } from './search.js';
import { machine, printFigure, printRatio, type Ratio } from './support/measure.js';
import { type Stack, startStack } from './support/stack.js';
import { dropTwins } from './support/twins.js';
import { benchTimeline } from './timeline.js';
import { benchTree } from './tree/tree.js';
import { benchVault } from './vault.js';
import { benchVerifier } from './verifier.js';
import { benchVerify } from './verify.js';
import { benchWebhooks } from './webhooks/webhooks.js';
import { benchX12 } from './x12.js';

// `npm run bench [-- batches singles verify x12 hl7 fhir ncpdp dashboard edge kit search rules advocacy webhooks tree mllp large vault bundles members verifier graph graph-ingest timeline]`: ratios of one run on one database, each pair measured in turn.

const NAMES = { ledger: LEDGER_COLLECTION, segments: /^worm_log_/ };
const SIZES: IngestSizes = { rounds: 3, batches: 40, singles: 4_000 };
const VERIFY_ROUNDS = 3;
const DASHBOARD_ROUNDS = 3;

const PARTS = [
  'batches',
  'singles',
  'verify',
  'x12',
  'hl7',
  'fhir',
  'ncpdp',
  'dashboard',
  'edge',
  'kit',
  'search',
  'rules',
  'advocacy',
  'webhooks',
  'tree',
  'mllp',
  'large',
  'vault',
  'bundles',
  'members',
  'verifier',
  'graph',
  'graph-ingest',
  'timeline',
] as const;
type Part = (typeof PARTS)[number];

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

function wanted(): ReadonlySet<Part> {
  const named = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  for (const name of named) {
    if (!PARTS.some((part) => part === name)) throw new Error(`unknown part ${name}; known: ${PARTS.join(', ')}`);
  }
  // Hundreds of megabytes take minutes: only where they are named.
  return new Set(
    PARTS.filter((part) =>
      named.length > 0 ? named.includes(part) : part !== 'large' && part !== 'bundles' && part !== 'members',
    ),
  );
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
if (parts.has('x12')) ratios.push(await benchX12('837'), await benchX12('835'));
if (parts.has('hl7')) ratios.push(await benchHl7());
if (parts.has('fhir')) ratios.push(await benchFhir());
if (parts.has('ncpdp')) ratios.push(await benchNcpdp());
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
if (parts.has('verifier')) {
  const { ratio, figure } = await benchVerifier();
  printRatio(ratio, say);
  printFigure(figure, say);
}
if (parts.has('kit')) for (const figure of await benchKit()) printFigure(figure, say);
if (parts.has('webhooks')) {
  const webhooks = await benchWebhooks();
  for (const ratio of webhooks.ratios) printRatio(ratio, say);
  for (const figure of webhooks.figures) printFigure(figure, say);
}
if (parts.has('mllp')) printFigure(await benchMllp(), say);
if (parts.has('large')) printFigure(await benchLargeBody(), say);
if (parts.has('bundles')) {
  const bundles = await benchBundles();
  for (const ratio of bundles.ratios) printRatio(ratio, say);
  for (const figure of bundles.figures) printFigure(figure, say);
}
if (parts.has('members')) for (const figure of await benchMembers()) printFigure(figure, say);
if (parts.has('rules')) {
  const rules = await benchRules();
  for (const ratio of rules.ratios) printRatio(ratio, say);
  for (const figure of rules.figures) printFigure(figure, say);
}
if (parts.has('vault')) {
  const vault = await benchVault();
  for (const ratio of vault.ratios) printRatio(ratio, say);
  for (const figure of vault.figures) printFigure(figure, say);
}
if (parts.has('advocacy')) {
  const stack = await startStack();
  try {
    const advocacy = await benchAdvocacy(stack);
    for (const ratio of advocacy.ratios) printRatio(ratio, say);
    for (const figure of advocacy.figures) printFigure(figure, say);
  } finally {
    await stack.stop();
  }
}
if (parts.has('search')) {
  const stack = await startStack();
  try {
    for (const figure of await benchSearch(stack)) printFigure(figure, say);
  } finally {
    await stack.stop();
  }
}
if (parts.has('graph')) {
  const stack = await startStack();
  try {
    const graph = await benchGraph(stack);
    for (const figure of graph.figures) printFigure(figure, say);
    for (const ratio of graph.ratios) printRatio(ratio, say);
  } finally {
    await stack.stop();
  }
}
if (parts.has('graph-ingest')) {
  const stack = await startStack();
  try {
    const ingest = await benchGraphIngest(stack);
    printRatio(ingest.ratio, say);
    printFigure(ingest.lag, say);
  } finally {
    await stack.stop();
  }
}
if (parts.has('timeline')) {
  const stack = await startStack();
  try {
    for (const figure of await benchTimeline(stack)) printFigure(figure, say);
  } finally {
    await stack.stop();
  }
}
if (parts.has('tree')) {
  const stack = await startStack();
  try {
    for (const figure of await benchTree(stack)) printFigure(figure, say);
  } finally {
    await stack.stop();
  }
}
