import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { composedFiles } from '../../app/composed-files.js';
import { repositoryFile } from '../../app/repository.js';
import { directOperationsIn } from '../../gateway/direct-operations.js';
import { routeOperations } from '../../rest-facade/operations.js';
import { sha256Hex } from '../../shared/crypto/hash.js';
import type { ContractDocument } from '../../shared/graph/json-schema.js';

let files: Awaited<ReturnType<typeof composedFiles>>;
beforeAll(async () => {
  files = await composedFiles();
});

describe('the committed schema and contract', () => {
  it.each(['gateway/supergraph.graphql', 'rest-facade/contract.json', 'gateway/direct-operations.json'])(
    '%s matches the classes; npm run compose rewrites it',
    async (path) => {
      const committed = await readFile(repositoryFile(path), 'utf8');
      expect(committed === files.find((file) => file.path === path)?.content).toBe(true);
    },
  );

  it.each(['vault/holds/resolver.js', 'members-graph/graph/resolver.js'])(
    'is the same in a process that loads %s first',
    (first) => {
      const dist = pathToFileURL(repositoryFile('dist/'));
      const program = `await import('${dist}subgraphs/${first}');
        const { composedFiles } = await import('${dist}app/composed-files.js');
        for (const { path, content } of await composedFiles())
          console.log(path, createHash('sha256').update(content).digest('hex'));`;
      const code = `import { createHash } from 'node:crypto';\n${program}`;
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
      const lines = files.map(({ path, content }) => `${path} ${sha256Hex(content)}\n`).join('');
      expect({ stdout, stderr }).toEqual({ stdout: lines, stderr: '' });
    },
    60_000,
  );

  it('contains only valid JSON Schemas, because the start does not check them', () => {
    const contract = JSON.parse(files[1]?.content ?? '{}') as ContractDocument;
    const ajv = new Ajv({ allErrors: true, formats: { uri: true, 'uri-reference': true, regex: true } });
    const schemas = Object.entries(contract.components.schemas);
    expect(schemas.length).toBeGreaterThan(10);
    expect(schemas.filter(([, schema]) => ajv.validateSchema(schema) !== true).map(([name]) => name)).toEqual([]);
    expect(ajv.validateSchema({ type: 'sting' })).toBe(false);
  });

  it('has an operation with a unique name for every route', () => {
    const contract = JSON.parse(files[1]?.content ?? '{}') as ContractDocument;
    const operations = routeOperations(contract);
    expect(operations.length).toBeGreaterThan(10);
    expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
  });

  it('needs the planner for the timeline alone, which joins the records of several subgraphs', () => {
    const contract = JSON.parse(files[1]?.content ?? '{}') as ContractDocument;
    const { operations } = directOperationsIn(files[2]?.content ?? '');
    const planned = routeOperations(contract).filter(({ name }) => operations[name] === undefined);
    expect(planned.map(({ name }) => name)).toEqual(['GetMemberTimeline']);
  });
});
