import { readFile } from 'node:fs/promises';
import type { ContractDocument } from '../shared/graph/json-schema.js';
import { type Contract, contractOf } from '../shared/graph/validator.js';

/** The contract that `npm run compose` wrote from the subgraphs' classes. */
export async function readContract(path: string): Promise<Contract> {
  return contractOf(JSON.parse(await readFile(path, 'utf8')) as ContractDocument);
}
