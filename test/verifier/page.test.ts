import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { repositoryFile } from '../../app/repository.js';
import { browserPlatform } from '../../verifier/page/browser-platform.js';
import { verifyBundle } from '../../verifier/verify-bundle.js';
import { BROWSER_PATH, openBrowser, watched } from '../support/browser.js';
import { itUnless, lackOf } from '../support/needs.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { allCases } from './cases.js';
import { consistencyText, KEY, sealed } from './good-cases.js';
import { checkpointVerifier, madeNote } from './make-bundle.js';
import { treeHash } from './make-ledger.js';
import { completeSpec } from './map-cases.js';
import { optionsOf, sourceOf } from './verify-kit.js';

describe("the engine on a browser's platform", () => {
  it('reaches the same verdicts as on Node', async () => {
    // Every fifth: each platform is the same engine, and only hashing and signatures differ.
    const cases = allCases().filter((_, i) => i % 5 === 0);
    const found: unknown[] = [];
    for (const { bundle, options } of cases)
      found.push((await verifyBundle(sourceOf(bundle), browserPlatform, optionsOf(options))).verdict);
    expect(found).toEqual(cases.map(({ verdict }) => verdict));
  });
});

let folder = '';
let service: WholeService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'eas-verify-page-'));
  writeFileSync(join(folder, 'good.zip'), sealed(completeSpec()));
  const bytes = sealed(completeSpec());
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(join(folder, 'bad.zip'), bytes);
  const built = spawnSync(process.execPath, [repositoryFile('build/verifier.mjs')]);
  expect(built.status).toBe(0);
  service = await startWholeService();
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const inBrowser = itUnless(lackOf(BROWSER_PATH, 'chromium'));

describe('GET /verify', () => {
  it('is served with its files, and may connect to nothing', async () => {
    const open = service.operator.as(null);
    const page = await open.get('/verify');
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'none'");
    for (const file of ['/verify/page.js', '/verify/page.css'])
      expect([file, (await open.get(file)).status]).toEqual([file, 200]);
  });

  async function inPage(check: (page: Page) => Promise<void>): Promise<void> {
    const browser: Browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const { foreign, complaints } = watched(page, service.operator.url);
      await page.goto(`${service.operator.url}/verify`);
      await check(page);
      expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] });
    } finally {
      await browser.close();
    }
  }

  inBrowser('verifies a file that never leaves the page: with a key, without one, and tampered with', async () => {
    await inPage(async (page) => {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.setInputFiles('#bundle', join(folder, 'good.zip'));
      await page.locator('#state.INTEGRITY_ONLY').waitFor();
      await page.fill('#key', KEY.keys[0] ?? '');
      await page.locator('#key').blur();
      await page.locator('#state.VALID').waitFor();
      await page.setInputFiles('#bundle', join(folder, 'bad.zip'));
      await page.locator('#state.INVALID').waitFor();
      await page.getByRole('heading', { name: 'Breaks' }).waitFor();
      expect(asked).toEqual([]);
    });
  });

  inBrowser(
    'accepts the inputs of the commands: keys, a stored checkpoint with its key and proof, a time stamp',
    async () => {
      const { leaves, origin } = completeSpec().ledger;
      const own = `${origin}/inc-1`;
      const put = (name: string, text: string): string => {
        writeFileSync(join(folder, name), text);
        return join(folder, name);
      };
      await inPage(async (page) => {
        const said = (state: string) => page.locator(`#state.${state}`).waitFor();
        await page.fill('#key', `${'A'.repeat(43)} ${KEY.keys[0] ?? ''}`);
        await page.setInputFiles('#bundle', join(folder, 'good.zip'));
        await said('VALID');
        await page.setInputFiles('#checkpoint', put('older.note', madeNote(own, 80, treeHash(leaves, 0, 80))));
        await said('VALID_WITH_NOTES');
        await page.setInputFiles('#consistency', put('proof.txt', consistencyText(leaves, 80, 121)));
        await said('VALID');
        await page.fill('#checkpoint-key', checkpointVerifier(own));
        await page.locator('#checkpoint-key').blur();
        await page.getByText(/121 entries, root [0-9a-f]{64}, signed/).waitFor();
        await page.setInputFiles('#checkpoint', put('forged.note', madeNote(own, 121, Buffer.alloc(32, 1))));
        await page.setInputFiles('#consistency', []);
        await said('INVALID');
        await page.setInputFiles('#checkpoint', []);
        await said('VALID');
        await page.setInputFiles('#timestamp', put('none.tsr', 'no token'));
        await said('usage');
        await page.fill('#key', 'short');
        await page.setInputFiles('#timestamp', []);
        await page.getByText('a thumbprint is not one of SHA-256').waitFor();
      });
    },
  );

  inBrowser('reaches the same verdicts in a browser without Ed25519', async () => {
    await inPage(async (page) => {
      await page.evaluate("Object.defineProperty(crypto, 'subtle', { value: undefined })");
      await page.fill('#key', KEY.keys[0] ?? '');
      await page.setInputFiles('#bundle', join(folder, 'good.zip'));
      await page.locator('#state.VALID').waitFor();
    });
  });
});
