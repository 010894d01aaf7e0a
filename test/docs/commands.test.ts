import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { repositoryFile, repositoryRoot } from '../../app/repository.js';
import { pageAddresses } from '../../build/site/sources.mjs';
import { canRun } from '../support/commands.js';
import { itUnless, lackOf } from '../support/needs.js';
import { NOT_RUN, PAGE_RUNS, scriptOf } from './commands-of-pages.js';
import { filledIn, PAGE_TIMEOUT_MS, runShell, type ShellBlock, shellBlocksOf } from './shell-blocks.js';

// Every command of the README and of the pages, apart from the tutorials: run on one service, or left out by name.

const lack = lackOf(
  canRun('jq', '--version') && canRun('curl', '--version') && canRun('unzip', '-v') && canRun('python3', '--version'),
  'curl, jq, unzip or python3',
);

/** `npm start` in another shell. A request that the service refuses ends the run. */
const STARTED = `
curl() { command curl --fail-with-body "$@"; }
export SERVICE_DATA_DIR=$TMPDIR/data
node dist/app/main.js &
until grep -qE 'eas_live_[A-Za-z0-9_-]{20}' "$OUT"; do sleep 1; done
`;
/** The variables of the how-to pages: a key of an administrator. */
const AS_ADMINISTRATOR = `
SERVICE=$URL
KEY=$(curl -s $URL/v1/api-keys -H "X-Api-Key: $OPERATOR" -H 'Content-Type: application/json' \\
  -d '{"tenant_id":"acme","name":"administrator","scopes":["admin"]}' | jq -er .api_key)
`;

const README = 'README.md';
/** Pages with commands that another suite runs from first to last. */
const TUTORIALS = 'docs/tutorials/';
const COMMAND = /^(?:npm|node|npx|curl|python3|pip|openssl|docker|helm|kubectl|unzip) /;

const pages = [...pageAddresses(repositoryRoot()).keys()].filter((page) => !page.startsWith(TUTORIALS)).sort();
const blocksOf = new Map<string, readonly ShellBlock[]>();
for (const page of pages) blocksOf.set(page, await shellBlocksOf(page));
const scripts = await Promise.all(PAGE_RUNS.map(async (run) => scriptOf(run, await shellBlocksOf(run.page))));

describe('the commands of the README and of the pages', () => {
  itUnless(lack)(
    'work in the order of the pages, on one service',
    async () => {
      const readme = (await shellBlocksOf(README)).filter(({ mark }) => mark === '');
      const steps = [STARTED, ...readme.map(({ text }) => filledIn(text)), AS_ADMINISTRATOR, ...scripts];
      const { code, end } = await runShell(steps.join('\n'));
      expect(code === 0 ? '' : `ended with ${code}: ${end}`).toBe('');
    },
    PAGE_TIMEOUT_MS,
  );

  it('are all run, or marked with a known reason', () => {
    const run = new Set([README, ...PAGE_RUNS.map(({ page }) => page)]);
    const unknown = [...blocksOf].flatMap(([page, blocks]) =>
      blocks
        .filter(({ mark }) => (mark === '' ? !run.has(page) : NOT_RUN[mark] === undefined))
        .map(({ heading, mark }) => `${page} "${heading}" ${mark}`),
    );
    expect(unknown).toEqual([]);
  });

  it('are in blocks that name a shell', async () => {
    const texts = await Promise.all(pages.map((page) => readFile(repositoryFile(page), 'utf8')));
    const unnamed = texts.flatMap((text, n) =>
      [...text.matchAll(/^```\n(.*)$/gm)].filter(([, line = '']) => COMMAND.test(line)).map(() => pages[n]),
    );
    expect(unnamed).toEqual([]);
  });

  it('name scripts of package.json after `npm run`', async () => {
    const { scripts: known } = JSON.parse(await readFile(repositoryFile('package.json'), 'utf8'));
    const texts = await Promise.all(pages.map((page) => readFile(repositoryFile(page), 'utf8')));
    const named = texts.flatMap((text, n) =>
      [...text.matchAll(/`npm run (?:-s )?([\w:-]+)/g)].map(([, script = '']) => ({ page: pages[n], script })),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ script }) => known[script] === undefined)).toEqual([]);
  });

  for (const [page, blocks] of blocksOf) {
    for (const { heading, mark } of blocks.filter((block) => NOT_RUN[block.mark] !== undefined)) {
      itUnless(NOT_RUN[mark] ?? mark)(`${page} "${heading}"`, () => undefined);
    }
  }
});
