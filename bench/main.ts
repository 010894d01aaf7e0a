import { LEDGER_COLLECTION } from '../subgraphs/ledger/append/model/collections.js';
import { benchAdvocacy } from './advocacy.js';
import { benchBundles } from './bundles.js';
import { benchConsole } from './console/console.js';
import { benchReference } from './console/reference.js';
import { benchDashboard } from './dashboard.js';
import { benchEdge } from './edge/edge.js';
import { benchEventPage } from './event-page.js';
import { benchFacts } from './facts.js';
import { benchFhir } from './formats/fhir.js';
import { benchGzip } from './formats/gzip.js';
import { benchHl7 } from './formats/hl7.js';
import { benchLargeBody } from './formats/large.js';
import { benchMllp } from './formats/mllp.js';
import { benchNcpdp } from './formats/ncpdp.js';
import { benchX12 } from './formats/x12.js';
import { benchGraph } from './graph/graph.js';
import { benchGraphIngest } from './graph/graph-ingest.js';
import { benchIdleMemory } from './idle-memory.js';
import { benchKit } from './kit/kit.js';
import { benchCheckedReads } from './ledger/checked-reads.js';
import { benchBatches, benchSingles, type IngestSizes } from './ledger/ingest.js';
import { benchSearch } from './ledger/search.js';
import { benchVerify } from './ledger/verify.js';
import { benchVerifyLarge } from './ledger/verify-large.js';
import { benchVerifyRecords } from './ledger/verify-records.js';
import { benchAtRest } from './load/at-rest.js';
import { benchBesideBulk } from './load/beside-bulk.js';
import { benchConnections } from './load/connections.js';
import { benchMapLedger } from './map-ledger.js';
import { benchMembers } from './members/search.js';
import { benchRules } from './rules.js';
import { benchStart } from './start.js';
import { benchStateMap } from './state-map.js';
import { machine, printResults, type Results } from './support/measure.js';
import { type Stack, startStack } from './support/stack.js';
import { dropTwins } from './support/twins.js';
import { benchTimeline } from './timeline.js';
import { benchTree } from './tree/tree.js';
import { benchVault } from './vault.js';
import { benchVerifier } from './verifier.js';
import { benchWebhooks } from './webhooks/webhooks.js';

// `npm run bench [-- PART …]` measures the named parts: ratios of one run on one database, each pair measured alternately.

const NAMES = { ledger: LEDGER_COLLECTION, segments: /^worm_log_/ };
const SIZES: IngestSizes = { rounds: 3, batches: 40, singles: 4_000 };
const VERIFY_ROUNDS = 3;
const DASHBOARD_ROUNDS = 3;

type Part = () => Promise<Results>;

/** Runs a part on a new stack. */
const onStack =
  (part: (stack: Stack) => Promise<Results>): Part =>
  async () => {
    const stack = await startStack();
    try {
      return await part(stack);
    } finally {
      await stack.stop();
    }
  };

/** Parts that share one stack; `verify` needs the events of another one. */
const LEDGER_PARTS: Readonly<Record<string, (stack: Stack) => Promise<Results>>> = {
  batches: (stack) => benchBatches(stack, NAMES, SIZES),
  singles: (stack) => benchSingles(stack, NAMES, SIZES),
  verify: async (stack) => {
    if (!named.has('batches') && !named.has('singles')) await benchBatches(stack, NAMES, { ...SIZES, rounds: 1 });
    return benchVerify(stack, VERIFY_ROUNDS);
  },
  dashboard: (stack) => benchDashboard(stack, NAMES.ledger, { rounds: DASHBOARD_ROUNDS }),
};

const benchLedger = onStack(async (stack) => {
  const results: Results[] = [];
  for (const [name, part] of Object.entries(LEDGER_PARTS)) if (named.has(name)) results.push(await part(stack));
  await dropTwins(stack.raw.db('eas'), stack.raw.db('eas_worm'));
  return results;
});

const PARTS: Readonly<Record<string, Part>> = {
  x12: async () => [await benchX12('837'), await benchX12('835')],
  hl7: benchHl7,
  fhir: benchFhir,
  ncpdp: benchNcpdp,
  gzip: benchGzip,
  ledger: benchLedger,
  edge: benchEdge,
  verifier: benchVerifier,
  kit: benchKit,
  start: benchStart,
  'idle-memory': benchIdleMemory,
  webhooks: benchWebhooks,
  mllp: benchMllp,
  large: benchLargeBody,
  bundles: benchBundles,
  members: benchMembers,
  rules: benchRules,
  'state-map': async () => [await benchStateMap(), await onStack(benchMapLedger)()],
  vault: benchVault,
  advocacy: onStack(benchAdvocacy),
  search: onStack(benchSearch),
  graph: onStack(benchGraph),
  'graph-ingest': onStack(benchGraphIngest),
  facts: benchFacts,
  reads: onStack(benchCheckedReads),
  'verify-records': onStack(benchVerifyRecords),
  'verify-large': onStack(benchVerifyLarge),
  timeline: onStack(benchTimeline),
  'event-page': benchEventPage,
  tree: onStack(benchTree),
  console: onStack(benchConsole),
  reference: onStack(benchReference),
  'beside-bulk': onStack(benchBesideBulk),
  'at-rest': benchAtRest,
  connections: onStack(benchConnections),
};
/** Hundreds of megabytes take minutes, so these parts run only when named. */
const SLOW_PARTS: readonly string[] = [
  'large',
  'bundles',
  'members',
  'verify-large',
  'beside-bulk',
  'at-rest',
  'connections',
];
const { ledger: _, ...otherParts } = PARTS;
const NAMES_OF_PARTS = [...Object.keys(LEDGER_PARTS), ...Object.keys(otherParts)];

/** Names of several parts. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  formats: ['x12', 'hl7', 'fhir', 'gzip', 'mllp', 'large'],
};

function namedParts(): ReadonlySet<string> {
  const given = process.argv
    .slice(2)
    .filter((word) => !word.startsWith('--'))
    .flatMap((word) => GROUPS[word] ?? [word]);
  const unknown = given.find((name) => !NAMES_OF_PARTS.includes(name));
  if (unknown)
    throw new Error(`unknown part ${unknown}; known: ${[...Object.keys(GROUPS), ...NAMES_OF_PARTS].join(', ')}`);
  return new Set(given.length > 0 ? given : NAMES_OF_PARTS.filter((name) => !SLOW_PARTS.includes(name)));
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

if (process.argv.includes('--help')) {
  say(`npm run bench [-- PART …]. Parts: ${[...Object.keys(GROUPS), ...NAMES_OF_PARTS].join(', ')}`);
  process.exit(0);
}
const named = namedParts();
say(`machine: ${machine()}`);
for (const [name, part] of Object.entries(PARTS)) {
  const isNamed = name === 'ledger' ? Object.keys(LEDGER_PARTS).some((one) => named.has(one)) : named.has(name);
  if (isNamed) printResults(await part(), say);
}
