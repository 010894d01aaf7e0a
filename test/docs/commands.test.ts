import { describe, expect } from '@jest/globals';
import { canRun } from '../support/commands.js';
import { itUnless, lackOf } from '../support/needs.js';
import { filledIn, PAGE_TIMEOUT_MS, runShell, shellBlocksOf } from './shell-blocks.js';

// The commands of the README, and of how-to pages that need nothing else than its service.

const lack = lackOf(
  canRun('jq', '--version') && canRun('curl', '--version') && canRun('unzip', '-v'),
  'curl, jq or unzip',
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

async function commandsOf(page: string, count: number): Promise<string> {
  const blocks = (await shellBlocksOf(page)).slice(0, count);
  if (blocks.length < count) throw new Error(`${page} has ${blocks.length} blocks of commands`);
  return blocks.map(({ text }) => filledIn(text)).join('\n');
}

describe('the commands of the README and of how-to pages', () => {
  itUnless(lack)(
    'work in the order of the pages, on one service',
    async () => {
      const readme = await commandsOf('README.md', 5);
      const others = await Promise.all(
        ['docs/conventions.md', 'docs/search.md', 'docs/webhooks.md', 'docs/ediscovery.md'].map((page) =>
          commandsOf(page, 1),
        ),
      );
      const { code, end } = await runShell([STARTED, readme, AS_ADMINISTRATOR, ...others].join('\n'));
      expect({ code, end }).toEqual({ code: 0, end: expect.any(String) });
    },
    PAGE_TIMEOUT_MS,
  );
});
