import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { DESCRIPTION_PATH, descriptionText, typesAreOf } from '../../app/client/generated-client.js';
import { repositoryFile } from '../../app/repository.js';

let description: string;
beforeAll(async () => {
  description = await descriptionText();
});

describe('the typed client; where a test fails, npm run client mends it', () => {
  test('the committed description is what the routes say', async () => {
    const committed = await readFile(repositoryFile(DESCRIPTION_PATH), 'utf8');
    expect(committed === description).toBe(true);
  });

  test('the types were generated from that description, and nobody edited them', async () => {
    expect(await typesAreOf(description)).toBe(true);
  });
});
