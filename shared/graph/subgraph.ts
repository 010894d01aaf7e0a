import type { GraphQLSchema } from 'graphql';
import type { ContainerType } from 'type-graphql';
import { type RequestContext, requireScope } from '../auth/context.js';
import { INTERNAL_SCOPE } from '../auth/scopes.js';
import { type Call, parseArguments } from '../contracts/call.js';
import { CALLS } from '../contracts/calls.js';
import type { FactGuard } from '../facts/guard.js';
import type { StateMachine } from '../state-machine/state-machine.js';
import type { Figure } from '../telemetry/figures.js';
import type { MetricGauge, QueueDepth } from '../telemetry/metrics.js';
import { type Description, describeGraph, type ResolverOf, resolversOf } from './described.js';
import { type ReferenceResolvers, servedSchema } from './federation/served-schema.js';
import { type FieldResolver, guardArguments } from './guard-arguments.js';
import type { SubgraphName } from './subgraph-names.js';
import type { Contract } from './validator.js';

/** A subgraph as its door hands it to the gateway (design.md: `build(deps) → { schema, jobs, health }`). */
export interface Subgraph {
  readonly name: SubgraphName;
  readonly schema: GraphQLSchema;
  /**
   * Starts the work that runs without a request (sweeps, copiers, relays). Called at most once, and only in processes with
   * the role `all` or `worker`. Several processes may run it at once, so each piece must allow concurrent copies.
   */
  background(): BackgroundWork;
  /** Flushes what waits; called once, after the last request and after the background work has stopped. */
  close(): Promise<void>;
  /** Resolves when the subgraph can serve; throws with an internal text when not. */
  health(): Promise<void>;
  /** Parts of it that the service can work without; reports of health name them. */
  readonly checks?: readonly PartCheck[];
  /** What waits in it now, for metrics. */
  queues?(): readonly QueueDepth[];
  /** The facts of its records, for the command that adopts rows of earlier versions. */
  readonly facts?: FactGuard;
  /** Gauges of the whole deployment, reported by the processes that do its work. */
  readonly gauges?: readonly MetricGauge[];
  /** What it counts in this process, for metrics. */
  figures?(): readonly Figure[];
}

/** A part that the service can work without. */
export interface PartCheck {
  readonly name: string;
  /** Why it fails, in words that may be shown to anyone. */
  readonly cause: string;
  readonly isOptional: true;
  /** @returns what may be shown to anyone; throws with an internal text when the part fails */
  health(): Promise<object>;
}

/** Work under way until it is stopped. */
export interface BackgroundWork {
  /** Resolves when running work is finished or handed back. */
  stop(): Promise<void>;
}

/** What a subgraph's schema is made of; exported by its door as `definition`, so that composing needs no database. */
export interface SubgraphDefinition extends Description {
  readonly name: SubgraphName;
  /** Lives of its records; docs/states.md is printed from them. */
  readonly stateMachines?: readonly StateMachine[];
}

interface SubgraphGraph {
  /** Federated; executable when a container was given. */
  readonly schema: GraphQLSchema;
  readonly contract: Contract;
}

/** Builds the federated schema and the contract from one definition. The container is asked at resolve time only. */
export async function buildGraph(
  definition: SubgraphDefinition,
  container: ContainerType = newContainer(),
  references: ReferenceResolvers = {},
): Promise<SubgraphGraph> {
  const { plain, contract } = await describeGraph(definition);
  const resolverOf = guardedRoots(plain, contract, resolversOf(plain, container));
  const sdl = async () => (await import('./federation/type-defs.js')).federatedSdl(plain);
  return { schema: servedSchema(plain, { resolverOf, references, sdl }), contract };
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

/** Checks the arguments of every root field before its resolver runs; those of calls between subgraphs by their schemas. */
function guardedRoots(plain: GraphQLSchema, contract: Contract, resolverOf: ResolverOf): ResolverOf {
  const roots = new Set([plain.getQueryType(), plain.getMutationType()]);
  return (type, field) => {
    const resolve = resolverOf(type, field);
    if (!roots.has(type)) return resolve;
    if (resolve === undefined) throw new Error(`the root field ${field.name} has no resolver`);
    const call = CALLS.get(field.name);
    return guardArguments(contract, field.name, call ? served(call, resolve) : resolve);
  };
}

/** Serves a call between subgraphs: to other parts of the service only, with parsed arguments. */
const served =
  (call: Pick<Call, 'subgraph' | 'name' | 'input'>, resolve: FieldResolver): FieldResolver =>
  (source, args, context, info) => {
    // The subgraph's server makes the context of every request.
    requireScope(context as RequestContext, INTERNAL_SCOPE);
    return resolve(source, parseArguments(call, args), context, info);
  };
