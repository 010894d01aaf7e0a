import type { ClassType } from 'type-graphql';
import type { Database } from '../db/database.js';
import type { FactGuard } from '../facts/guard.js';
import { type EffectRelay, PENDING_INDEX } from '../outbox/outbox.js';
import { createIndexes, type DeclaredCollection } from '../records/collections.js';
import type { Figure } from '../telemetry/figures.js';
import type { MetricGauge } from '../telemetry/metrics.js';
import type { ResolveReference } from './edges/references.js';
import { type BackgroundWork, buildGraph, type Subgraph, type SubgraphDefinition } from './subgraph.js';
import type { SubgraphName } from './subgraph-names.js';
import type { Contract } from './validator.js';

/** The running part of one area. `wire` registers its jobs with `deps.jobs`. */
export interface WiredArea {
  /** One instance of each resolver class of the area. */
  readonly resolvers?: readonly object[];
  /** Gauges of the whole deployment. */
  readonly gauges?: readonly MetricGauge[];
  /** Counters of this process. */
  readonly figures?: () => readonly Figure[];
  /** Work that runs without a pause; see Subgraph.background. */
  readonly background?: () => BackgroundWork;
  /** See Subgraph.facts. */
  readonly facts?: FactGuard;
  /** Releases the resources of the area. */
  readonly close?: () => Promise<void>;
}

/** One area of a subgraph: its part of the graph, its collections, and the function that starts it. */
export interface Area<Parts> extends Pick<SubgraphDefinition, 'contractTypes' | 'stateMachines'> {
  readonly resolvers?: readonly ClassType[];
  readonly collections?: readonly DeclaredCollection[];
  readonly wire?: (parts: Parts) => WiredArea | Promise<WiredArea>;
  readonly references?: ReferencesOver<Parts>;
}

/**
 * Makes the resolvers of references to types of an area (`@key`), by type. Each is called once in a service, when the first
 * reference comes.
 */
export type ReferencesOver<Parts> = Readonly<Record<string, (parts: Parts) => ResolveReference>>;

type Described = Omit<Area<never>, 'wire' | 'references'>;

/** @throws RangeError for areas without a resolver: their graph would be empty. */
export function definitionOf(name: SubgraphName, areas: readonly Described[]): SubgraphDefinition {
  const [first, ...others] = areas.flatMap(({ resolvers = [] }) => resolvers);
  if (first === undefined) throw new RangeError(`${name} has no resolvers`);
  return {
    name,
    resolvers: [first, ...others],
    contractTypes: areas.flatMap(({ contractTypes = [] }) => contractTypes),
    stateMachines: areas.flatMap(({ stateMachines = [] }) => stateMachines),
  };
}

/** Names of the collections with rows that carry pending effects (design.md decision 5). */
export const collectionsWithEffects = (areas: readonly Described[]): readonly string[] =>
  areas
    .flatMap(({ collections = [] }) => collections)
    .filter(({ indexes }) => indexes.includes(PENDING_INDEX))
    .map(({ name }) => name);

interface SharedParts {
  /** Performs the effects of the subgraph's writes. */
  readonly outbox: EffectRelay & { start(): BackgroundWork };
}

/**
 * Creates the indexes of the areas, then their shared parts, then starts each area, in order.
 *
 * @param open creates what the areas share.
 */
export async function openSubgraph<Parts extends SharedParts>(
  definition: SubgraphDefinition,
  areas: readonly Area<Parts>[],
  { db }: Pick<Database, 'db'>,
  open: (contract: Contract) => Parts | Promise<Parts>,
): Promise<Subgraph> {
  await createIndexes(
    db,
    areas.flatMap(({ collections = [] }) => collections),
  );
  const instances = new Map<unknown, object>();
  const container = { get: (resolver: unknown) => instances.get(resolver) };
  const graph = await buildGraph(
    definition,
    container,
    referencesOf(areas, () => parts),
  );
  const parts = await open(graph.contract);
  const wired: WiredArea[] = [];
  for (const { wire } of areas) if (wire) wired.push(await wire(parts));
  for (const instance of wired.flatMap(({ resolvers = [] }) => resolvers))
    instances.set(instance.constructor, instance);
  const facts = wired.find((area) => area.facts !== undefined)?.facts;
  return {
    name: definition.name,
    schema: graph.schema,
    ...(facts === undefined ? {} : { facts }),
    health: async () => {
      await db.command({ ping: 1 });
    },
    gauges: wired.flatMap(({ gauges = [] }) => gauges),
    figures: () => wired.flatMap((area) => area.figures?.() ?? []),
    background: () => {
      const works = [parts.outbox.start(), ...wired.flatMap(({ background }) => background?.() ?? [])];
      return { stop: async () => void (await Promise.all(works.map((work) => work.stop()))) };
    },
    close: async () => {
      for (const area of wired) await area.close?.();
    },
  };
}

/** @param parts called when the first reference comes. */
export const referencesOf = <Parts>(
  areas: readonly { readonly references?: ReferencesOver<Parts> }[],
  parts: () => Parts,
) =>
  Object.fromEntries(
    areas
      .flatMap(({ references = {} }) => Object.entries(references))
      .map(([type, resolverOf]) => {
        let resolve: ResolveReference | undefined;
        const __resolveReference: ResolveReference = (reference, context) => {
          resolve ??= resolverOf(parts());
          return resolve(reference, context);
        };
        return [type, { __resolveReference }];
      }),
  );
