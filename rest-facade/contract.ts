import { readFile } from 'node:fs/promises';
import type { ContractDocument } from '../shared/graph/json-schema.js';
import { type Contract, contractOf } from '../shared/graph/validator.js';

let last: { readonly text: string; readonly contract: Contract } | undefined;

/** Reads the contract that `npm run compose` writes; all services of a process share it. */
export async function readContract(path: string): Promise<Contract> {
  const text = await readFile(path, 'utf8');
  if (last?.text === text) return last.contract;
  const document: ContractDocument = JSON.parse(text);
  last = { text, contract: contractOf(document) };
  return last.contract;
}
