import { buildSubgraphSchema } from '@apollo/subgraph';
import type { GraphQLSchema } from 'graphql';
import type { ContainerType } from 'type-graphql';
import type { StateMachine } from '../state-machine/state-machine.js';
import type { Figure } from '../telemetry/figures.js';
import type { MetricGauge, QueueDepth } from '../telemetry/metrics.js';
import { type Description, describeGraph, type ResolversMap, resolversOf } from './described.js';
import { guardArguments } from './guard-arguments.js';
import type { SubgraphName } from './subgraph-names.js';
import type { Contract } from './validator.js';

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
export interface SubgraphDefinition extends Description {
  readonly name: SubgraphName;
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

type ReferenceResolvers = Readonly<Record<string, { __resolveReference: (...args: never[]) => unknown }>>;

/** Builds the federated schema and the contract from one definition. The container is asked at resolve time only. */
export async function buildGraph(
  definition: SubgraphDefinition,
  container: ContainerType = newContainer(),
  references: ReferenceResolvers = {},
): Promise<SubgraphGraph> {
  const { plain, sdl, typeDefs, contract } = await describeGraph(definition);
  const resolvers = resolversOf(plain, container);
  for (const [type, resolver] of Object.entries(references)) Object.assign(resolvers[type] ?? {}, resolver);
  guardRootFields(contract, resolvers);
  const schema = buildSubgraphSchema({ typeDefs, resolvers: resolvers as never });
  return { schema, sdl, contract };
}

/** Of resolvers that need nothing: one of each. */
function newContainer(): ContainerType {
  const made = new Map<new () => unknown, unknown>();
  return {
    get: (resolver: new () => unknown) => {
      if (!made.has(resolver)) made.set(resolver, new resolver());
      return made.get(resolver);
    },
  };
}

function guardRootFields(contract: Contract, resolvers: ResolversMap): void {
  for (const [name, operation] of Object.entries(contract.document.operations)) {
    const root = resolvers[operation.kind === 'query' ? 'Query' : 'Mutation'];
    if (typeof root !== 'object' || !(name in root)) throw new Error(`the root field ${name} has no resolver`);
    const fields = root as Record<string, Parameters<typeof guardArguments>[2]>;
    fields[name] = guardArguments(contract, operation, fields[name] as Parameters<typeof guardArguments>[2]);
  }
}
