import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';

describe('docs/console.md', () => {
  it('shows every picture of docs/console once, each with a text for readers who do not see it', () => {
    const guide = readFileSync(repositoryFile('docs/console.md'), 'utf8');
    const shown = [...guide.matchAll(/!\[([^\]]+)\]\(console\/([^)]+)\)/g)].map(([, , file]) => file);
    expect(shown.length).toBeGreaterThan(20);
    expect(shown.sort()).toEqual(readdirSync(repositoryFile('docs/console')).sort());
  });
});
