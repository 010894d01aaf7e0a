import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Script } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { BROWSER_PATH, openBrowser, watched } from '../support/browser.js';
import { envelope } from '../support/envelopes.js';
import { freshTenant } from '../support/http.js';
import { itUnless, lackOf } from '../support/needs.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.stop());

const inBrowser = itUnless(lackOf(BROWSER_PATH, 'chromium'));
const FOLDER = 'rest-facade/pages/graphiql';

describe('the query page', () => {
  it('consists of the same files as its packages', async () => {
    const table = await readFile(repositoryFile(`${FOLDER}/README.md`), 'utf8');
    const rows = [...table.matchAll(/^\| `([^`]+)` \| .+ \| `([0-9a-f]{64})` \|$/gm)];
    expect(rows).toHaveLength(4);
    for (const [, name, sha256] of rows) {
      const bytes = await readFile(repositoryFile(`${FOLDER}/${name}`));
      expect([name, createHash('sha256').update(bytes).digest('hex')]).toEqual([name, sha256]);
    }
  });

  it('is served with its files from the same origin only', async () => {
    const open = service.operator.as(null);
    const page = await open.get('/graphiql');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    const ours = files.filter((file) => file !== 'data:,');
    expect(ours).toHaveLength(6);
    for (const file of ours) {
      expect(file).toMatch(/^\/graphiql\//);
      expect([file, (await open.get(file)).status]).toEqual([file, 200]);
    }
  });

  it('has a script that an engine compiles', async () => {
    const { text } = await service.operator.as(null).get('/graphiql/page.js');
    expect(() => new Script(text)).not.toThrow();
  });

  inBrowser('answers a query in a browser, contacts no other host, breaks no policy, and stores no key', async () => {
    const { http } = await freshTenant(service.operator, ['events:read', 'events:write', 'graph:query']);
    await http.post('/v1/events', envelope('graphiql'));
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const { foreign, complaints } = watched(page, service.operator.url);
      await page.goto(`${service.operator.url}/graphiql`);
      await page.getByLabel('API key').fill(http.key ?? '');
      await page.getByRole('button', { name: 'Use this key' }).click();
      await page.getByRole('button', { name: /Execute query/ }).click();
      await page.locator('.result-window').getByText('um-core').first().waitFor();
      const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
      expect(kept).toBe('[{},{},""]');
      expect(await page.getByLabel('API key').inputValue()).toBe('');
      expect(foreign).toEqual([]);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  inBrowser('fills in a saved question with its explanation and variables, and answers it', async () => {
    const { http } = await freshTenant(service.operator, ['events:read', 'graph:query']);
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const { foreign, complaints } = watched(page, service.operator.url);
      await page.goto(`${service.operator.url}/graphiql`);
      await page.getByLabel('API key').fill(http.key ?? '');
      await page.getByRole('button', { name: 'Use this key' }).click();
      await page.getByLabel('Saved question').selectOption('claimConversation');
      await page.getByText('Lists all events that name the claim').waitFor();
      await page.getByRole('button', { name: /Execute query/ }).click();
      await page.locator('.result-window').getByText('CLM-1001').first().waitFor();
      expect(foreign).toEqual([]);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
