import { readFile } from 'node:fs/promises';
import type { ContractDocument } from '../shared/graph/json-schema.js';
import { type Contract, contractOf } from '../shared/graph/validator.js';

let last: { readonly text: string; readonly contract: Contract } | undefined;

/** The contract that `npm run compose` wrote from the subgraphs' classes; one for all services of a process. */
export async function readContract(path: string): Promise<Contract> {
  const text = await readFile(path, 'utf8');
  if (last?.text !== text) last = { text, contract: contractOf(JSON.parse(text) as ContractDocument) };
  return last.contract;
}
