// The import rules of the map (ARCHITECTURE.md), as data. A path pattern is a prefix; `*` stands for one path segment.

/** A part of the tree, and what its files may import from the rest of the tree. The first that matches a file counts. */
export interface Zone {
  readonly files: string;
  readonly mayImport: readonly string[];
}

/** `SELF` is the subgraph that the importing file stands in. */
export const SELF = 'SELF';

const PURE_SHARED = [
  'shared/auth/',
  'shared/clock/clock.ts',
  'shared/consent/',
  'shared/contracts/',
  'shared/crypto/',
  'shared/errors/',
  'shared/evidence/',
  'shared/ids/',
  'shared/json/',
  'shared/json-logic/',
  'shared/merkle/',
  'shared/notes/',
  'shared/state-machine/',
  'shared/text/',
  'shared/time/',
];

export const ZONES: readonly Zone[] = [
  { files: 'embedded-mongo/', mayImport: ['embedded-mongo/'] },
  { files: 'verifier/', mayImport: ['verifier/'] },
  { files: 'client/', mayImport: ['client/'] },
  // Stands outside the service: it checks the service, and shares only formats and arithmetic with it.
  {
    files: 'witness/',
    mayImport: [
      'witness/',
      'shared/merkle/',
      'shared/notes/',
      'shared/crypto/',
      'shared/ids/ids.ts',
      'shared/clock/clock.ts',
    ],
  },
  {
    files: 'testing-kit/',
    mayImport: ['testing-kit/', 'app/', 'client/', 'embedded-mongo/launch.ts', 'shared/clock/', 'shared/config/'],
  },
  { files: 'test/', mayImport: [''] },
  { files: 'bench/', mayImport: [''] },
  { files: 'shared/', mayImport: ['shared/'] },

  // Rooms of a subgraph: domain ← service ← resolvers, jobs; model, adapters → ports.
  { files: 'subgraphs/*/domain/', mayImport: ['SELF/domain/', ...PURE_SHARED] },
  { files: 'subgraphs/*/service/', mayImport: ['SELF/service/', 'SELF/domain/', 'shared/'] },
  { files: 'subgraphs/*/schema/', mayImport: ['SELF/schema/', 'SELF/domain/', 'shared/'] },
  {
    files: 'subgraphs/*/resolvers/',
    mayImport: ['SELF/resolvers/', 'SELF/schema/', 'SELF/service/', 'SELF/domain/', 'shared/'],
  },
  { files: 'subgraphs/*/jobs/', mayImport: ['SELF/jobs/', 'SELF/service/', 'SELF/domain/', 'shared/'] },
  {
    files: 'subgraphs/*/model/',
    mayImport: ['SELF/model/', 'SELF/service/ports.ts', 'SELF/service/ports/', 'SELF/domain/', 'shared/'],
  },
  // The same engine that stands in every bundle, behind a port of the subgraph's own.
  {
    files: 'subgraphs/bundles/adapters/',
    mayImport: [
      'SELF/adapters/',
      'SELF/service/ports.ts',
      'SELF/service/ports/',
      'SELF/domain/',
      'shared/',
      'verifier/verify-bundle.ts',
      'verifier/report.ts',
      'verifier/platform.ts',
      'verifier/node/node-platform.ts',
    ],
  },
  {
    files: 'subgraphs/*/adapters/',
    mayImport: ['SELF/adapters/', 'SELF/service/ports.ts', 'SELF/service/ports/', 'SELF/domain/', 'shared/'],
  },
  // The door puts the subgraph together; where it has many areas, each in a file of `wiring/`.
  { files: 'subgraphs/*/index.ts', mayImport: ['SELF/', 'shared/'] },
  { files: 'subgraphs/*/wiring/', mayImport: ['SELF/', 'shared/'] },

  { files: 'gateway/', mayImport: ['gateway/', 'subgraphs/*/index.ts', 'shared/'] },
  // The facade reaches subgraphs only through the graph.
  { files: 'rest-facade/', mayImport: ['rest-facade/', 'gateway/', 'shared/'] },
  {
    files: 'app/',
    mayImport: [
      'app/',
      'rest-facade/',
      'gateway/',
      'subgraphs/*/index.ts',
      'shared/',
      'embedded-mongo/launch.ts',
      'embedded-mongo/backup.ts',
    ],
  },
];

/** Files that these rules say nothing of: tests and benches touch whatever they measure. */
export const FREE = ['test/', 'bench/', 'embedded-mongo/test/'];

/** A package, and the only places that may import it; `@scope/` stands for every package of the scope. */
export interface PackageRule {
  readonly packages: readonly string[];
  readonly only: readonly string[];
}

export const PACKAGE_RULES: readonly PackageRule[] = [
  {
    packages: ['graphql', 'type-graphql', '@apollo/', '@graphql-tools/', 'graphql-scalars'],
    only: ['subgraphs/*/schema/', 'subgraphs/*/resolvers/', 'gateway/', 'shared/graph/'],
  },
  { packages: ['fastify', '@fastify/', '@as-integrations/'], only: ['rest-facade/', 'gateway/subgraph-server/'] },
  { packages: ['undici'], only: ['gateway/remote/', 'shared/http/safe-connect/'] },
  { packages: ['mongoose'], only: ['subgraphs/*/model/', 'shared/db/'] },
  {
    packages: ['mongodb', 'bson'],
    only: [
      'subgraphs/*/model/',
      'shared/db/',
      'shared/idempotency/',
      'shared/jobs/',
      'shared/limits/',
      'shared/worm/',
      'embedded-mongo/',
    ],
  },
  { packages: ['rate-limiter-flexible'], only: ['shared/limits/'] },
  { packages: ['prom-client'], only: ['shared/telemetry/'] },
  { packages: ['agenda', '@agendajs/'], only: ['shared/jobs/'] },
  { packages: ['lmdb', 'mingo'], only: ['embedded-mongo/'] },
  { packages: ['mongodb-memory-server-core'], only: ['app/'] },
  { packages: ['nodemailer'], only: ['subgraphs/*/adapters/'] },
  { packages: ['pino'], only: ['shared/telemetry/'] },
  { packages: ['ajv', 'ajv-formats'], only: ['shared/graph/', 'rest-facade/'] },
];

/** Domain code computes and nothing else: no package, and of Node only what has no effect. */
export const PURE_ROOM = 'subgraphs/*/domain/';
export const PURE_BUILTINS: readonly string[] = ['node:buffer', 'node:crypto', 'node:util'];

/** An effect that reaches out of the program, and the only places that may have it. */
export interface EffectRule {
  readonly effects: readonly string[];
  readonly only: readonly string[];
}

export const EFFECT_RULES: readonly EffectRule[] = [
  { effects: ['process.env', 'node:process'], only: ['shared/config/'] },
  { effects: ['Date.now', 'new Date()', 'performance.now', 'process.hrtime'], only: ['shared/', 'embedded-mongo/'] },
  {
    effects: [
      'Math.random',
      'randomBytes',
      'randomUUID',
      'randomInt',
      'randomFill',
      'randomFillSync',
      'getRandomValues',
    ],
    only: ['shared/', 'embedded-mongo/'],
  },
  { effects: ['setTimeout', 'setInterval', 'node:timers'], only: ['shared/', 'embedded-mongo/'] },
];

export const MAX_FILE_LINES = 400;

/** Written by a command and never by hand; as long as what they are written from. */
export const GENERATED: readonly string[] = ['client/schema.ts'];

/** Files that are started by a name put together at run time, beside those that package.json's scripts start. */
export const STARTED_BY_NAME: readonly string[] = [
  'shared/worm/block-thread-main.ts',
  'embedded-mongo/child-main.ts',
  'embedded-mongo/worker-main.ts',
  'subgraphs/vault/adapters/documents/process-main.ts',
  'subgraphs/bundles/adapters/archive-thread-main.ts',
  'bench/edge/server.ts',
  'bench/kit/starts.ts',
  'bench/webhooks/receiver-process.ts',
  'testing-kit/index.ts',
  // By build/verifier.mjs.
  'verifier/node/main.ts',
  'verifier/page/main.ts',
];
