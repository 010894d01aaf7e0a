import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { canRun } from '../support/commands.js';
import { itUnless, lackOf } from '../support/needs.js';
import {
  filledIn,
  INLINE_NOT_RUN,
  inlineCommands,
  NOT_RUN,
  PAGE_TIMEOUT_MS,
  PAGES,
  runShell,
  shellBlocksOf,
  unmarkedCommands,
} from './shell-blocks.js';

// The commands of every page but the tutorials, which have a suite of their own.

const lack = lackOf(
  ['jq', 'curl', 'python3'].every((program) => canRun(program, '--version')) && canRun('unzip', '-v'),
  'curl, jq, python3 or unzip',
);

/** `npm start` in another shell. A request that the service refuses ends the run. */
const STARTED = `
curl() { command curl --fail-with-body "$@"; }
export SERVICE_DATA_DIR=$TMPDIR/data
node dist/app/main.js &
until grep -qE 'eas_live_[A-Za-z0-9_-]{20}' "$OUT"; do sleep 1; done
`;
/** The variables of the how-to pages: a key of an administrator, and what the commands of the README made. */
const AS_ADMINISTRATOR = `
SERVICE=$URL
KEY=$(curl -s $URL/v1/api-keys -H "X-Api-Key: $OPERATOR" -H 'Content-Type: application/json' \\
  -d '{"tenant_id":"acme","name":"administrator","scopes":["admin"]}' | jq -er .api_key)
EVENT=$(curl -s "$URL/v1/events?member_id=M-1001" -H "X-Api-Key: $KEY" | jq -er '.items[0].event_id')
SIGNING_KEY_ID=$(curl -s "$URL/v1/signing-keys/jwks?tenant_id=acme" | jq -er '[.keys[] | select(.purpose == "BUNDLE")][0].thumbprint')
printf '%%PDF-1.4\\n%%%%EOF\\n' > denial.pdf
`;

/** In the order of the run: each page uses what the ones before it have made. */
const RUN = [
  'docs/conventions.md',
  'docs/search.md',
  'docs/webhooks.md',
  'docs/vault.md',
  'docs/checkpoints.md',
  'docs/ediscovery.md',
  'docs/bundles.md',
  'docs/verifying.md',
];

const runnable = async (page: string): Promise<string[]> =>
  (await shellBlocksOf(page)).filter(({ mark }) => mark === '').map(({ text }) => filledIn(text));

describe('the commands of the pages', () => {
  itUnless(lack)(
    'work in the order of the pages, on one service',
    async () => {
      const readme = await runnable('README.md');
      const others = (await Promise.all(RUN.map(runnable))).flat();
      expect([readme.length, others.length]).toEqual([5, 10]);
      const { code, end } = await runShell([STARTED, ...readme, AS_ADMINISTRATOR, ...others].join('\n'));
      expect({ code, end }).toEqual({ code: 0, end: expect.any(String) });
    },
    PAGE_TIMEOUT_MS,
  );

  it('are run by this suite or that of the tutorials, or have a mark with a known reason', async () => {
    expect(PAGES.length).toBeGreaterThan(60);
    const faults: string[] = [];
    const used = new Set<string>();
    for (const page of PAGES) {
      const isRun = page === 'README.md' || RUN.includes(page) || page.startsWith('docs/tutorials/');
      for (const { heading, mark } of await shellBlocksOf(page)) {
        if (mark !== '') used.add(mark);
        if (mark === '' ? !isRun : NOT_RUN[mark] === undefined) faults.push(`${page} "${heading}" ${mark}`);
      }
      faults.push(...(await unmarkedCommands(page)).map((line) => `${page} has no language: ${line}`));
    }
    expect(faults).toEqual([]);
    expect([...used].sort()).toEqual(Object.keys(NOT_RUN).sort());
  });

  it('have a known reason where a sentence shows a command that no test runs', async () => {
    const commands = (await Promise.all(PAGES.map(inlineCommands))).flat();
    const programs = new Set(commands.map((command) => command.split(' ')[0] ?? ''));
    expect([...programs].sort()).toEqual(Object.keys(INLINE_NOT_RUN).sort());
  });

  it('name scripts that the package has, within sentences and tables too', async () => {
    const { scripts } = JSON.parse(await readFile(repositoryFile('package.json'), 'utf8'));
    const unknown: string[] = [];
    for (const page of PAGES) {
      const text = await readFile(repositoryFile(page), 'utf8');
      for (const [command, name = ''] of text.matchAll(/npm run (?:-s )?([a-z][a-z:-]*)/g)) {
        if (scripts[name] === undefined) unknown.push(`${page}: ${command}`);
      }
    }
    expect(unknown).toEqual([]);
  });
});
