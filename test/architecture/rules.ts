// The import rules of the map (ARCHITECTURE.md), as data. A path pattern is a prefix; `*` matches one path segment.

/** A part of the tree, and what its files may import from the rest of the tree. The first that matches a file counts. */
export interface Zone {
  readonly files: string;
  readonly mayImport: readonly string[];
}

/** `SELF` is the subgraph of the importing file. */
export const SELF = 'SELF';

/** What `domain/` may import of shared: functions of data. */
export const PURE_SHARED: readonly string[] = [
  'shared/auth/',
  'shared/clock/clock.ts',
  'shared/consent/',
  'shared/contracts/',
  'shared/crypto/',
  'shared/errors/',
  'shared/event-keys/',
  'shared/evidence/',
  'shared/facts/fact.ts',
  'shared/hashing/',
  'shared/ids/',
  'shared/json/',
  'shared/json-logic/',
  'shared/merkle/',
  'shared/notes/',
  'shared/state-machine/',
  'shared/state-map/',
  'shared/text/',
  'shared/time/',
  'shared/zip/',
  'shared/acts/',
  'shared/records/group-cells.ts',
];

export const ZONES: readonly Zone[] = [
  { files: 'embedded-mongo/', mayImport: ['embedded-mongo/'] },
  // Its files are bundled into one. It shares with the service only the arithmetic of hashes, the layout of ZIP, the rows of
  // acts, and the lines of progress with their clock.
  {
    files: 'verifier/',
    mayImport: [
      'verifier/',
      'shared/hashing/',
      'shared/zip/',
      'shared/acts/',
      'shared/progress/',
      'shared/clock/clock.ts',
    ],
  },
  { files: 'client/', mayImport: ['client/'] },
  // Runs in a browser, and knows the service by the generated client.
  { files: 'console/', mayImport: ['console/', 'client/errors.ts', 'client/schema.ts'] },
  // Outside the service: it verifies the service, and shares only formats and arithmetic with it.
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
  // It judges what it signs by the formats alone, and a bundle's fact as the verifier does.
  {
    files: 'signer/',
    mayImport: ['signer/', 'shared/', 'verifier/checks/sealed-fact.ts', 'verifier/node/node-platform.ts'],
  },
  {
    files: 'testing-kit/',
    mayImport: [
      'testing-kit/',
      'app/',
      'client/',
      'embedded-mongo/index.ts',
      'shared/clock/',
      'shared/config/',
      'shared/ids/',
    ],
  },
  { files: 'test/', mayImport: [''] },
  { files: 'bench/', mayImport: [''] },
  // Also runs in a browser.
  { files: 'shared/hashing/', mayImport: ['shared/hashing/'] },
  { files: 'shared/zip/', mayImport: ['shared/zip/'] },
  { files: 'shared/acts/', mayImport: ['shared/acts/'] },
  { files: 'shared/', mayImport: ['shared/'] },

  // The verifier's engine also runs in the service: the bundles subgraph verifies an archive as its recipient would.
  {
    files: 'subgraphs/bundles/',
    mayImport: [
      'SELF/',
      'shared/',
      'verifier/verify-bundle.ts',
      'verifier/report.ts',
      'verifier/platform.ts',
      'verifier/node/node-platform.ts',
    ],
  },
  // Inside a subgraph areas.ts holds.
  { files: 'subgraphs/', mayImport: ['SELF/', 'shared/'] },

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
      'embedded-mongo/index.ts',
      'signer/index.ts',
    ],
  },
];

/** Source files that one folder may hold. */
export const MAX_FILES_A_FOLDER = 25;

/** Files that these rules say nothing of: tests and benches touch whatever they measure. */
export const FREE = ['test/', 'bench/', 'embedded-mongo/test/'];

/** A package, and the only places that may import it; `@scope/` matches every package of the scope. */
export interface PackageRule {
  readonly packages: readonly string[];
  readonly only: readonly string[];
}

export const PACKAGE_RULES: readonly PackageRule[] = [
  {
    packages: ['graphql', 'type-graphql', '@apollo/', '@graphql-tools/', 'graphql-scalars'],
    only: ['room:schema', 'room:resolvers', 'gateway/', 'shared/graph/'],
  },
  { packages: ['fastify', '@fastify/', '@as-integrations/'], only: ['rest-facade/', 'gateway/subgraph-server/'] },
  { packages: ['undici'], only: ['gateway/remote/', 'shared/http/safe-connect/'] },
  { packages: ['mongoose'], only: ['room:model', 'shared/db/'] },
  {
    packages: ['mongodb', 'bson'],
    only: [
      'room:model',
      'shared/db/',
      'shared/idempotency/',
      'shared/jobs/',
      'shared/limits/',
      'shared/records/',
      'shared/worm/',
      'embedded-mongo/',
    ],
  },
  { packages: ['rate-limiter-flexible'], only: ['shared/limits/'] },
  { packages: ['prom-client'], only: ['shared/telemetry/'] },
  { packages: ['agenda', '@agendajs/'], only: ['shared/jobs/'] },
  { packages: ['lmdb', 'mingo'], only: ['embedded-mongo/'] },
  { packages: ['mongodb-memory-server-core'], only: ['app/'] },
  { packages: ['nodemailer'], only: ['room:adapters'] },
  { packages: ['@aws-sdk/'], only: ['shared/worm/objects/'] },
  { packages: ['@opentelemetry/'], only: ['app/telemetry/'] },
  { packages: ['openid-client'], only: ['rest-facade/oidc/'] },
  { packages: ['pino'], only: ['shared/telemetry/'] },
  { packages: ['ajv', 'ajv-formats'], only: ['shared/graph/', 'rest-facade/'] },
];

/** Domain code computes and nothing else: no package, and of Node only what has no effect. */
export const PURE_BUILTINS: readonly string[] = ['node:buffer', 'node:crypto', 'node:util'];

/** An effect that reaches out of the program, and the only places that may have it. */
export interface EffectRule {
  readonly effects: readonly string[];
  readonly only: readonly string[];
}

export const EFFECT_RULES: readonly EffectRule[] = [
  { effects: ['process.env', 'node:process'], only: ['shared/config/'] },
  {
    effects: ['Date.now', 'new Date()', 'performance.now', 'process.hrtime'],
    only: ['shared/', 'embedded-mongo/', 'signer/', 'console/', 'client/runtime.ts'],
  },
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
    only: ['shared/', 'embedded-mongo/', 'client/runtime.ts'],
  },
  {
    effects: ['setTimeout', 'setInterval', 'node:timers'],
    only: ['shared/', 'embedded-mongo/', 'signer/', 'console/', 'client/runtime.ts'],
  },
];

export const MAX_FILE_LINES = 400;

/** Written by a command and never by hand; as long as what they are written from. */
export const GENERATED: readonly string[] = ['client/schema.ts'];

/** Files that run under a name computed at run time, in addition to those that package.json's scripts run. */
export const STARTED_BY_NAME: readonly string[] = [
  'shared/worm/threads/block-thread-main.ts',
  'subgraphs/ledger/state-map/thread/map-thread-main.ts',
  'embedded-mongo/launch/child-main.ts',
  'signer/child-main.ts',
  'embedded-mongo/launch/worker-main.ts',
  'subgraphs/vault/content/adapters/processes/main.ts',
  'subgraphs/bundles/archive/adapters/archive-thread-main.ts',
  'bench/edge/server.ts',
  'bench/kit/starts.ts',
  'bench/webhooks/receiver-process.ts',
  'testing-kit/index.ts',
  // By the exports of package.json.
  'client/index.ts',
  // By build/verifier.mjs.
  'verifier/node/main.ts',
  'verifier/page/main.ts',
  // By build/console.mjs.
  'console/src/main.tsx',
];
