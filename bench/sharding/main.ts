import { parseArgs } from 'node:util';
import { SHARDED } from '../../shared/db/sharding/plan.js';
import { OPERATIONS } from './operations.js';
import { type SimulationInput, simulate } from './simulate.js';

// `npm run bench:sharding [-- --shards 8 --events 1000000000 --tenants 10000 --chains 8 --exponent 1 --row-bytes N
// --leaf-bytes N]`: places events on shards by arithmetic and prints balance, hot chains, ranges and routing. It needs no
// database. Default sizes: BSON of 200 rows of test/support/envelopes.ts and of their leaves, averaged.

const DEFAULTS = {
  shards: '8',
  events: '1000000000',
  tenants: '10000',
  chains: '8',
  exponent: '1',
  'row-bytes': '1488',
  'leaf-bytes': '166',
} as const;

const GIB = 1024 ** 3;
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;

function inputOf(): SimulationInput {
  const options = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ options });
  const numberOf = (name: keyof typeof DEFAULTS): number => {
    const value = Number(values[name] ?? DEFAULTS[name]);
    if (!(value > 0) && !(name === 'exponent' && value === 0)) throw new Error(`--${name} must be a number over 0`);
    return value;
  };
  return {
    shards: numberOf('shards'),
    events: numberOf('events'),
    tenants: numberOf('tenants'),
    chains: numberOf('chains'),
    exponent: numberOf('exponent'),
    rowBytes: numberOf('row-bytes'),
    leafBytes: numberOf('leaf-bytes'),
  };
}

const input = inputOf();
const result = simulate(input);
say(
  `${whole(input.events)} events of ${whole(input.tenants)} tenants with ${input.chains} chains each, on ${input.shards} shards`,
);
say(`Zipf's exponent ${input.exponent}; ${input.rowBytes} bytes a row, ${input.leafBytes} bytes a leaf`);
say('');
say('Balance (events of a shard over the mean; 1.00 is even)');
for (const [name, { events, skew }] of [
  ['zones of db:prepare', result.byZone],
  ['tenants by size', result.bySize],
  ['chains by size', result.byChain],
] as const) {
  say(
    `  ${name.padEnd(20)} ${skew.toFixed(2)}   largest ${whole(events[0] ?? 0)}, smallest ${whole(events.at(-1) ?? 0)}`,
  );
}
say('');
say('Hot chains (a chain never leaves its shard)');
for (const { tenant, number, events } of result.hotChains) {
  const gib = (events * input.rowBytes) / GIB;
  say(`  ${tenant} chain ${number}: ${whole(events)} events, ${percent(events / input.events)}, ${gib.toFixed(1)} GiB`);
}
say('');
say('Ranges of 128 MiB');
for (const [name, { count, jumbo, largestBytes }] of [
  ['ledger', result.ledger],
  ['ledger_tree', result.tree],
] as const) {
  const largest = (largestBytes / GIB).toFixed(1);
  say(
    `  ${name.padEnd(12)} ${whole(count)} ranges, ${whole(jumbo)} larger and indivisible, the largest ${largest} GiB`,
  );
}
say('');
say(`Operations on ${SHARDED.map(({ name }) => name).join(', ')} (shards that one call asks)`);
for (const { store, operation, routes, routing } of OPERATIONS) {
  const asked = routing === 'targeted' ? '1' : String(input.shards);
  say(`  ${`${store}.${operation}`.padEnd(24)} ${routing.padEnd(10)} ${asked.padStart(3)}   ${routes}`);
}
