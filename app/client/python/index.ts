import type { Contract } from './contract.js';
import { modelsFile } from './models.js';
import { operationsFile } from './operations.js';
import { PythonTypes } from './types.js';

const FOLDER = 'client/python/src/eas_client';
const MARK = '# Written by `npm run client`. Do not edit.';

/** Makes the generated files of the Python client, by their paths in the repository. */
export function pythonFiles(description: string): Readonly<Record<string, string>> {
  // openApiDocument made this text.
  const contract = JSON.parse(description) as Contract;
  const types = new PythonTypes(contract.components.schemas);
  return {
    // These two name the classes of answers and bodies that models.py then holds.
    [`${FOLDER}/operations.py`]: operationsFile(contract, types, 'sync', MARK),
    [`${FOLDER}/async_operations.py`]: operationsFile(contract, types, 'async', MARK),
    [`${FOLDER}/models.py`]: modelsFile(contract, types, MARK),
  };
}
