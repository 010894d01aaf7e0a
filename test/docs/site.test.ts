import { readdir } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { inPage, violationsIn } from '../console/console-kit.js';
import { BROWSER_PATH } from '../support/browser.js';
import type { Http } from '../support/http.js';
import { itUnless, lackOf } from '../support/needs.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

let service: WholeService;
let open: Http;
let walked: Walked;
beforeAll(async () => {
  service = await startWholeService();
  open = service.operator.as(null);
  walked = await walk();
});
afterAll(() => service.stop());

const inBrowser = itUnless(lackOf(BROWSER_PATH, 'chromium'));

interface Walked {
  /** Text of each page, by its address. */
  readonly pages: ReadonlyMap<string, string>;
  /** Each address within the service that a page links to or loads, with a page that does. */
  readonly targets: ReadonlyMap<string, string>;
}

const unescaped = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const linksIn = (html: string): string[] =>
  [...html.matchAll(/<[a-z]+ [^>]*?(?:href|src)="([^"]+)"/g)].map(([, address = '']) => unescaped(address));

const idsIn = (html: string): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => unescaped(id));

/** Follows every link of every page from /docs on. */
async function walk(): Promise<Walked> {
  const pages = new Map<string, string>();
  const targets = new Map<string, string>();
  const waiting = ['/docs'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const { status, text, headers } = await open.get(path);
    if (status !== 200) throw new Error(`${path} answers ${status}`);
    if (!(headers.get('content-type') ?? '').startsWith('text/html')) continue;
    pages.set(path, text);
    for (const link of linksIn(text)) {
      if (/^(https?|mailto|data):/.test(link)) continue;
      const target = link.startsWith('#') ? path + link : link;
      targets.set(target, path);
      const [page = ''] = target.split('#');
      if (page.startsWith('/docs') && !/^\/docs\/try($|\/)/.test(page)) waiting.push(page);
    }
  }
  return { pages, targets };
}

describe('GET /docs', () => {
  it('leads to every page of the repository', async () => {
    const inDocs = (await readdir(repositoryFile('docs'), { recursive: true })).filter((name) => name.endsWith('.md'));
    const addresses = inDocs.map((name) => `/docs/${name}`.replace(/(\/README)?\.md$/, ''));
    const others = ['overview', 'architecture', 'changelog', 'clients/typescript', 'packages/embedded-mongo'];
    const expected = [...addresses, ...others.map((name) => `/docs/${name}`)];
    expect(expected.length).toBeGreaterThan(100);
    expect(expected.filter((address) => !walked.pages.has(address))).toEqual([]);
  });

  it('has no link to a page, a heading or a file that does not exist', async () => {
    const missing: string[] = [];
    for (const [target, from] of walked.targets) {
      const [path = '', fragment] = target.split('#');
      const page = walked.pages.get(path);
      if (page === undefined) {
        const { status } = await fetch(open.url + path);
        if (status !== 200) missing.push(`${from}: ${target} answers ${status}`);
      } else if (fragment !== undefined && !idsIn(page).includes(fragment)) missing.push(`${from}: ${target}`);
    }
    expect(missing).toEqual([]);
  });

  it('links routes to their operations in the API reference', async () => {
    const { paths } = (await open.get('/v1/openapi.json')).json;
    const operations = Object.values<Record<string, { operationId: string; tags: string[] }>>(paths).flatMap((item) =>
      Object.values(item).map(({ operationId, tags }) => `/docs/api/${tags?.[0]?.replaceAll(' ', '_')}/${operationId}`),
    );
    expect(operations.length).toBeGreaterThan(200);
    expect(operations.filter((address) => !walked.pages.has(address))).toEqual([]);
    expect(walked.pages.get('/docs/routes')).toContain('href="/docs/api/events/listEvents"');
  });

  it('forbids inline scripts and styles, other origins and frames', async () => {
    const policy = (await open.get('/docs')).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
    const inline = [...walked.pages].filter(([, html]) =>
      /<script>|<style|\sstyle=|\son[a-z]+=/.test(html.replace(/<code>.*?<\/code>/gs, '')),
    );
    expect(inline.map(([path]) => path)).toEqual([]);
  });

  it('gives the packed and the plain form tags of their own', async () => {
    const tagOf = async (encoding: string): Promise<string | null> =>
      (await open.get('/docs/errors', { 'accept-encoding': encoding })).headers.get('etag');
    const [plain, packed, refused] = [await tagOf('identity'), await tagOf('gzip'), await tagOf('gzip;q=0')];
    expect(plain).toMatch(/^"[0-9a-f]{64}"$/);
    expect([packed === plain, refused]).toEqual([false, plain]);
    for (const [encoding, tag, status] of [
      ['gzip', packed, 304],
      ['gzip', plain, 200],
      ['identity', plain, 304],
      ['identity', `"other", W/${plain}`, 304],
      ['identity', packed, 200],
    ] as const) {
      const again = await open.get('/docs/errors', { 'accept-encoding': encoding, 'if-none-match': tag ?? '' });
      expect([encoding, tag, again.status]).toEqual([encoding, tag, status]);
    }
  });

  it('returns 304 for a page that the reader has, and 404 for a name that leads nowhere or out of the folder', async () => {
    const page = await open.get('/docs/errors');
    const again = await open.get('/docs/errors', { 'if-none-match': page.headers.get('etag') ?? '' });
    expect([page.status, again.status]).toEqual([200, 304]);
    for (const path of [
      '/docs/none',
      '/docs/%2e%2e%2f.built-from',
      '/docs/..%2fapp%2fmain.js',
      '/docs/adr/%2e%2e/%2e%2e/main.js',
    ]) {
      expect([path, (await open.get(path)).status]).toEqual([path, 404]);
    }
    expect((await open.get('/docs/')).text).toBe((await open.get('/docs')).text);
  });
});

describe('the API reference', () => {
  it('lists every operation on one page of at most 20 KB over the network', async () => {
    const { paths } = (await open.get('/v1/openapi.json')).json;
    const page = walked.pages.get('/docs/api') ?? '';
    const routes = Object.entries<object>(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `<code>${method.toUpperCase()} ${path}</code>`),
    );
    expect(routes.filter((route) => !page.includes(route))).toEqual([]);
    expect(gzipSync(page).length).toBeLessThan(20_000);
  });

  it('shows parameters, bodies, answers with examples, errors and schemas of an operation', () => {
    const list = walked.pages.get('/docs/api/events/listEvents') ?? '';
    for (const part of ['GET /v1/events', 'carc:50', 'id="schema-EventRecord"', 'INTEGRITY_FAILURE', 'events:read']) {
      expect(list).toContain(part);
    }
    const post = walked.pages.get('/docs/api/ingest/ingestRaw') ?? '';
    for (const part of [
      'application/edi-x12',
      'CLP*CLM-1001',
      'ST*999*0001',
      'PAYLOAD_TOO_LARGE',
      'href="/docs/try#/',
    ]) {
      expect(post).toContain(part);
    }
  });

  inBrowser('leads bookmarks of the former reference to the page of their operation', async () => {
    await inPage(open, async (page) => {
      await page.goto(`${open.url}/docs/api#/events/listEvents`);
      await page.waitForURL(`${open.url}/docs/api/events/listEvents`);
      await page.getByRole('heading', { level: 1, name: 'List events' }).waitFor();
    });
  });
});

describe('a page of the documentation', () => {
  inBrowser('finds a section by words, and leads to it with the keyboard', async () => {
    await inPage(open, async (page) => {
      await page.goto(`${open.url}/docs`);
      await page.keyboard.press('/');
      await page.keyboard.type('restore a backup');
      await page
        .getByRole('status')
        .getByText(/^\d+ sections?$/)
        .waitFor();
      await page
        .getByRole('region', { name: 'Search results' })
        .getByRole('link', { name: /Backup and restore/ })
        .first()
        .waitFor();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/docs\/.+/);
      await page.getByRole('searchbox', { name: 'Search' }).fill('zzqqxxyy');
      await page.getByText('0 sections').waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('0 sections').waitFor({ state: 'hidden' });
    });
  });

  inBrowser('fits a screen of 390 px, wide tables and long commands included', async () => {
    await inPage(open, async (page) => {
      await page.setViewportSize({ width: 390, height: 844 });
      for (const path of [
        '',
        '/overview',
        '/routes',
        '/evidence',
        '/console',
        '/adr',
        '/webhooks',
        '/api',
        '/api/ingest/ingestRaw',
      ]) {
        await page.goto(`${open.url}/docs${path}`);
        const sideways = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        expect({ path, sideways }).toEqual({ path, sideways: false });
      }
    });
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    inBrowser(`has no violation of axe in ${colorScheme} colours, on wide and narrow screens`, async () => {
      await inPage(open, async (page) => {
        await page.emulateMedia({ colorScheme });
        for (const path of ['/errors', '/backup', '/api', '/api/ingest/ingestRaw']) {
          for (const width of [390, 1280]) {
            await page.setViewportSize({ width, height: 844 });
            await page.goto(`${open.url}/docs${path}`);
            expect({ path, width, found: await violationsIn(page) }).toEqual({ path, width, found: [] });
          }
        }
      });
    });
  }
});
