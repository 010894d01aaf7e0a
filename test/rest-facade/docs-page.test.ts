import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BROWSER_PATH, openBrowser, watched } from '../support/browser.js';
import { itUnless, lackOf } from '../support/needs.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { facadeKit } from './facade-kit.js';

/** The reader of the description works for long on a busy machine; no test waits for it where the page works. */
const PATIENCE_MS = 150_000;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.stop());

const inBrowser = itUnless(lackOf(BROWSER_PATH, 'chromium'));

describe('the page that sends requests', () => {
  it('is served with its files from the same origin only', async () => {
    const open = service.operator.as(null);
    const page = await open.get('/docs/try');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) {
      expect(file).toMatch(/^\/docs(\/api$|\/try\/)/);
      const { status, headers } = await open.get(file);
      expect([file, status]).toEqual([file, 200]);
      const again = await open.get(file, { 'if-none-match': headers.get('etag') ?? '' });
      expect(again.status).toBe(304);
    }
  });

  it('is below the documentation, where the root of the service leads', async () => {
    const answer = await fetch(`${service.operator.url}/`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs']);
    expect((await service.operator.as(null).post('/', {})).status).toBe(405);
  });

  it('rejects other methods, and lists the allowed ones', async () => {
    for (const path of ['/docs', '/docs/errors', '/docs/api', '/docs/try', '/graphiql', '/metrics']) {
      const { status, headers } = await service.operator.as(null).post(path, {});
      expect([path, status, headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
    }
  });

  it('is not served by a process that does not serve the description', async () => {
    const kit = await facadeKit({}, { areas: new Set(['graphql', 'healthz']) });
    const answers = await Promise.all(
      ['/docs', '/docs/api', '/docs/try', '/v1/openapi.json'].map((url) => kit.inject({ url })),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404]);
    await kit.close();
  });

  inBrowser('shows one operation, sends its request, contacts no other host, and breaks no policy', async () => {
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      const { foreign, complaints } = watched(page, service.operator.url);
      await page.goto(`${service.operator.url}/docs/api/healthz/checkHealth`);
      await page.getByRole('link', { name: 'Try it' }).click();
      await page.getByRole('button', { name: 'Execute' }).click();
      await page.getByText('"status": "ok"').first().waitFor();
      expect(await page.locator('.opblock').count()).toBe(1);
      expect(foreign).toEqual([]);
      expect(complaints).toEqual([]);
      expect(await page.getByText('Unable to render').count()).toBe(0);
      expect(await page.locator('.errors-wrapper, .renderers-warning, .unsupported-dialect').count()).toBe(0);
    } finally {
      await browser.close();
    }
  });
});
