import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BROWSER_PATH } from '../support/browser.js';
import { freshTenant, type Http } from '../support/http.js';
import { itUnless, lackOf } from '../support/needs.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { inPage, menu, signIn, visit } from './console-kit.js';

let service: WholeService;
let open: Http;
beforeAll(async () => {
  service = await startWholeService();
  open = service.operator.as(null);
});
afterAll(() => service.stop());

const inBrowser = itUnless(lackOf(BROWSER_PATH, 'chromium'));

/** Addresses of the files that the page loads at once. */
const filesOf = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = '']) => path);

describe('GET /console', () => {
  it('is where / leads a browser, and answers at every place below it with the same page', async () => {
    const rootFor = async (accept: string): Promise<unknown[]> => {
      const root = await fetch(`${open.url}/`, { redirect: 'manual', headers: { accept } });
      return [root.status, root.headers.get('location'), root.headers.get('vary')];
    };
    expect(await rootFor('text/html,application/xhtml+xml,*/*;q=0.8')).toEqual([302, '/console', 'accept']);
    expect(await rootFor('*/*')).toEqual([302, '/docs', 'accept']);
    const page = await open.get('/console');
    expect(page.status).toBe(200);
    expect((await open.get('/console/events/evt_01JQ0000000000000000000001')).text).toBe(page.text);
    expect((await open.call('/console', { method: 'POST', body: {} })).status).toBe(405);
  });

  it('forbids inline scripts and styles, other origins and frames', async () => {
    const { headers } = await open.get('/console');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('names the plain and the compressed bytes of a file by different strong tags', async () => {
    const tagFor = async (encoding: string, tag = ''): Promise<readonly [number, string]> => {
      const headers = { 'accept-encoding': encoding, ...(tag === '' ? {} : { 'if-none-match': tag }) };
      const answer = await fetch(`${open.url}/console`, { headers });
      await answer.arrayBuffer();
      return [answer.status, answer.headers.get('etag') ?? ''];
    };
    const [[, plain], [, gzip]] = [await tagFor('identity'), await tagFor('gzip')];
    expect(plain).toMatch(/^"[0-9a-f]{64}"$/);
    expect(gzip).not.toBe(plain);
    expect(await tagFor('gzip', gzip)).toEqual([304, gzip]);
    expect(await tagFor('gzip', plain)).toEqual([200, gzip]);
  });

  it('loads hashed files that browsers keep, at most 250 kB of them with Home', async () => {
    const page = await open.get('/console');
    let bytes = gzipSync(page.text).length;
    for (const path of filesOf(page.text)) {
      const file = await open.get(path);
      expect([path, file.status, file.headers.get('cache-control')]).toEqual([
        path,
        200,
        'public, max-age=31536000, immutable',
      ]);
      bytes += gzipSync(file.text).length;
    }
    expect(bytes).toBeLessThan(240_000);
    expect((await open.get('/console/assets/none.js')).status).toBe(404);
  });
});

describe('signing in', () => {
  inBrowser('shows why a key is refused, with the number of the request', async () => {
    await inPage(open, async (page) => {
      await page.goto(`${open.url}/console`);
      await page.getByLabel('API key').fill('eas_live_wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').getByText('UNAUTHENTICATED').waitFor();
      await page.getByRole('alert').getByText(/req_/).waitFor();
    });
  });

  inBrowser('leads back to the place that was asked for, also after the session has ended', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    await inPage(http, async (page) => {
      await signIn(page, http, '/custody');
      await page.getByRole('heading', { name: 'Custody', exact: true }).waitFor();
      const [session] = (await http.get('/v1/sessions')).json.items;
      await http.call(`/v1/sessions/${session.session_id}`, { method: 'DELETE' });
      await menu(page, 'Exceptions');
      await page.getByLabel('API key').fill(http.key ?? '');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Exceptions', exact: true }).waitFor();
    });
  });

  inBrowser('keeps neither key nor token where a script could read it, and signs out', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    await inPage(http, async (page) => {
      await signIn(page, http);
      const kept = await page.evaluate('JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])');
      expect(kept).not.toMatch(/eas_|esn_/);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('API key').waitFor();
    });
  });

  inBrowser('speaks Spanish and turns dark, and stays so on the next screen', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    await inPage(http, async (page) => {
      await signIn(page, http);
      await page.getByRole('button', { name: 'Dark' }).click();
      await page.getByRole('button', { name: 'Español' }).click();
      await menu(page, 'Excepciones');
      await page.getByRole('heading', { name: 'Excepciones' }).waitFor();
      expect(await page.evaluate('[document.documentElement.lang, document.documentElement.dataset.theme]')).toEqual([
        'es',
        'dark',
      ]);
    });
  });

  inBrowser('lets an operator choose the tenant', async () => {
    const { tenantId } = await freshTenant(service.operator);
    await inPage(service.operator, async (page) => {
      await signIn(page, service.operator, '/admin');
      await page.getByLabel('Tenant').fill(tenantId);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('test key').first().waitFor();
      await visit(page, service.operator, '/events');
      await page.getByText('No event fits.', { exact: false }).waitFor();
    });
  });
});
