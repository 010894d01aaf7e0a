import { buildSubgraphSchema } from '@apollo/subgraph';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import { type GraphQLSchema, parse } from 'graphql';
import { type BuildSchemaOptions, buildSchema, createResolversMap } from 'type-graphql';
import type { StateMachine } from '../state-machine/state-machine.js';
import type { Figure } from '../telemetry/figures.js';
import type { MetricGauge, QueueDepth } from '../telemetry/metrics.js';
import { guardArguments } from './guard-arguments.js';
import { contractDocumentOf } from './json-schema.js';
import type { SubgraphName } from './subgraph-names.js';
import { type Contract, contractOf } from './validator.js';

/** A subgraph as its door hands it to the gateway (design.md: `build(deps) → { schema, jobs, health }`). */
export interface Subgraph {
  readonly name: SubgraphName;
  readonly schema: GraphQLSchema;
  /**
   * Starts the work that no request asks for (sweeps, copiers, relays). Called at most once, and only in processes
   * whose role it is (`all`, `worker`); several may run it at once, so each piece must bear company.
   */
  background(): BackgroundWork;
  /** Flushes what waits; called once, after the last request and after the background work has stopped. */
  close(): Promise<void>;
  /** Resolves when the subgraph can serve; throws with an internal text when not. */
  health(): Promise<void>;
  /** What waits in it now, for metrics. */
  queues?(): readonly QueueDepth[];
  /** Of the whole deployment, told by the processes that do its work. */
  readonly gauges?: readonly MetricGauge[];
  /** What it counts in this process, for metrics. */
  figures?(): readonly Figure[];
}

/** Work under way until it is stopped. */
export interface BackgroundWork {
  /** Resolves when what was under way is finished or handed back. */
  stop(): Promise<void>;
}

/** Of a subgraph that has no work beside its requests. */
export const noBackgroundWork: BackgroundWork = { stop: async () => {} };

/** What a subgraph's schema is made of; exported by its door as `definition`, so that composing needs no database. */
export interface SubgraphDefinition {
  readonly name: SubgraphName;
  readonly resolvers: BuildSchemaOptions['resolvers'];
  /** Classes that no root field reaches but the graph or the contract holds: envelopes, shapes, entity stubs. */
  readonly contractTypes?: NonNullable<BuildSchemaOptions['orphanedTypes']>;
  /** Lives of its records; docs/states.md is printed from them. */
  readonly stateMachines?: readonly StateMachine[];
}

export interface SubgraphGraph {
  /** Federated; executable when a container was given. */
  readonly schema: GraphQLSchema;
  /** With the federation directives, as composition reads it. */
  readonly sdl: string;
  readonly contract: Contract;
}

const FEDERATION_LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@external", "@inaccessible"])\n';

type ReferenceResolvers = Readonly<Record<string, { __resolveReference: (...args: never[]) => unknown }>>;

/**
 * Builds the federated schema and the contract from one definition. Checks stand in the field extensions and in the
 * services, so type-graphql's own validation is off. The container is asked at resolve time only.
 */
export async function buildGraph(
  definition: SubgraphDefinition,
  container?: NonNullable<BuildSchemaOptions['container']>,
  references: ReferenceResolvers = {},
): Promise<SubgraphGraph> {
  const plain = await buildSchema({
    resolvers: definition.resolvers,
    orphanedTypes: definition.contractTypes ?? [],
    validate: false,
    ...(container ? { container } : {}),
  });
  const contract = contractOf(contractDocumentOf(plain));
  const resolvers = createResolversMap(plain);
  for (const [type, resolver] of Object.entries(references)) Object.assign(resolvers[type] ?? {}, resolver);
  guardRootFields(contract, resolvers);
  const sdl = FEDERATION_LINK + printSchemaWithDirectives(plain);
  const schema = buildSubgraphSchema({ typeDefs: parse(sdl), resolvers: resolvers as never });
  return { schema, sdl, contract };
}

function guardRootFields(contract: Contract, resolvers: ReturnType<typeof createResolversMap>): void {
  for (const [name, operation] of Object.entries(contract.document.operations)) {
    const root = resolvers[operation.kind === 'query' ? 'Query' : 'Mutation'];
    if (typeof root !== 'object' || !(name in root)) throw new Error(`the root field ${name} has no resolver`);
    const fields = root as Record<string, Parameters<typeof guardArguments>[2]>;
    fields[name] = guardArguments(contract, operation, fields[name] as Parameters<typeof guardArguments>[2]);
  }
}
