import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { canRun } from '../support/commands.js';
import { startTestServer, type TestServer } from '../support/database.js';
import { itUnless, lackOf } from '../support/needs.js';
import { filledIn, PAGE_TIMEOUT_MS, runShell, type ShellBlock, shellBlocksOf } from './shell-blocks.js';

// Every command of a tutorial runs on the built service, in the order of the page.

const TUTORIALS = 'docs/tutorials';

/** Marks of blocks that are not run, and the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  setup: 'the suite runs on an installed and built repository',
  'needs-mongodb': "the address is the reader's own; the test gives the address of its database",
};

const pages = readdirSync(repositoryFile(TUTORIALS))
  .filter((name) => name.endsWith('.md'))
  .sort();
const blocksOf = new Map<string, ShellBlock[]>();
for (const page of pages) blocksOf.set(page, await shellBlocksOf(`${TUTORIALS}/${page}`));

const withTools = itUnless(lackOf(canRun('jq', '--version') && canRun('curl', '--version'), 'curl or jq'));

let database: TestServer;
beforeAll(async () => {
  database = await startTestServer();
});
afterAll(() => database.stop());

describe('the tutorials', () => {
  it('are the six jobs and their index, each with commands', () => {
    expect(pages).toEqual([
      'README.md',
      'disaster-recovery.md',
      'first-bundle.md',
      'first-evidence.md',
      'first-webhook.md',
      'key-compromise.md',
      'production-on-mongodb.md',
    ]);
    expect([...blocksOf.values()].every((blocks) => blocks.length > 0)).toBe(true);
  });

  it('mark a block only with a known reason', () => {
    const marks = [...blocksOf.values()].flat().map(({ mark }) => mark);
    expect(marks.filter((mark) => mark !== '' && NOT_RUN[mark] === undefined)).toEqual([]);
  });

  for (const [page, blocks] of blocksOf) {
    const run = blocks.filter(({ mark }) => mark === '');
    if (run.length > 0) {
      withTools(
        `${page} works from its first command to its last`,
        async () => {
          const settings: Record<string, string> =
            page === 'production-on-mongodb.md' ? { MONGODB_URI: database.uri } : {};
          const { code, end } = await runShell(run.map(({ text }) => filledIn(text)).join('\n'), settings);
          expect({ code, end }).toEqual({ code: 0, end: expect.any(String) });
        },
        PAGE_TIMEOUT_MS,
      );
    }
    for (const { heading, mark } of blocks.filter((block) => block.mark !== '')) {
      itUnless(NOT_RUN[mark] ?? mark)(`${page} "${heading}"`, () => undefined);
    }
  }
});
