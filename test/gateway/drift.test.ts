import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { repositoryFile } from '../../app/repository.js';
import { composedFiles } from '../../gateway/composed-files.js';
import { composeGraph } from '../../gateway/composition.js';
import { SUBGRAPH_DEFINITIONS } from '../../gateway/subgraphs.js';
import { routeOperations } from '../../rest-facade/operations.js';
import type { ContractDocument } from '../../shared/graph/json-schema.js';

let files: ReturnType<typeof composedFiles>;
beforeAll(async () => {
  files = composedFiles(await composeGraph(SUBGRAPH_DEFINITIONS));
});

describe('what is committed is what the classes say', () => {
  test.each(['gateway/supergraph.graphql', 'rest-facade/contract.json'])(
    '%s; where it is not, npm run compose writes it',
    async (path) => {
      const committed = await readFile(repositoryFile(path), 'utf8');
      expect(committed === files.find((file) => file.path === path)?.content).toBe(true);
    },
  );

  test('every schema of it is one by the rules of JSON Schema, which a start takes for granted', () => {
    const contract = JSON.parse(files[1]?.content ?? '{}') as ContractDocument;
    const ajv = new Ajv({ allErrors: true, formats: { uri: true, 'uri-reference': true, regex: true } });
    const schemas = Object.entries(contract.components.schemas);
    expect(schemas.length).toBeGreaterThan(10);
    expect(schemas.filter(([, schema]) => ajv.validateSchema(schema) !== true).map(([name]) => name)).toEqual([]);
    expect(ajv.validateSchema({ type: 'sting' })).toBe(false);
  });

  test('every route has its operation, under one name', () => {
    const contract = JSON.parse(files[1]?.content ?? '{}') as ContractDocument;
    const operations = routeOperations(contract);
    expect(operations.length).toBeGreaterThan(10);
    expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
  });
});
