import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DESCRIPTION_PATH, descriptionText, markedTypes, TYPES_PATH } from '../../app/client/generated-client.js';
import { pythonFiles } from '../../app/client/python/index.js';
import { repositoryFile } from '../../app/repository.js';

let description: string;
beforeAll(async () => {
  description = await descriptionText();
});

describe('the typed clients; npm run client rewrites it', () => {
  it('has a committed description that matches the routes', async () => {
    const committed = await readFile(repositoryFile(DESCRIPTION_PATH), 'utf8');
    expect(committed === description).toBe(true);
  });

  it('has types that were generated from that description, without manual edits', async () => {
    const committed = await readFile(repositoryFile(TYPES_PATH), 'utf8');
    const generated = committed.split('\n').slice(2).join('\n');
    expect(committed === markedTypes(description, generated)).toBe(true);
  });

  it('has Python files that are generated from that description', async () => {
    const files = Object.entries(pythonFiles(description));
    expect(files.length).toBe(3);
    for (const [path, text] of files) {
      const committed = await readFile(repositoryFile(path), 'utf8');
      expect([path, committed === text]).toEqual([path, true]);
    }
  });
});
