import { z } from 'zod';
import { sha256Hex } from '../shared/crypto/hash.js';
import type { NamedOperation } from './operations.js';

/**
 * The trusted operations that one subgraph answers alone, as the planner found them when the graph was composed. With
 * them a process serves its routes before it has loaded the planner (docs/adr/0103-the-planner-is-loaded-when-asked.md).
 */
export interface DirectOperations {
  /** `keyOf` the supergraph and the operations for which they were found. */
  readonly key: string;
  /** Subgraphs that the supergraph names. */
  readonly subgraphs: readonly string[];
  /** Subgraph by the name of the operation. */
  readonly operations: Readonly<Record<string, string>>;
}

const DIRECT_OPERATIONS = z.strictObject({
  key: z.string(),
  subgraphs: z.array(z.string()),
  operations: z.record(z.string(), z.string()),
});

/** Parses the composed file. @throws ZodError for another shape */
export const directOperationsIn = (text: string): DirectOperations => DIRECT_OPERATIONS.parse(JSON.parse(text));

/** Changes with every byte of the supergraph and of an operation. */
export const keyOf = (supergraphSdl: string, operations: readonly NamedOperation[]): string =>
  sha256Hex(JSON.stringify([supergraphSdl, operations]));
