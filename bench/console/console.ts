import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { benchEnvelope } from '../support/events.js';
import { atMost, type Figure } from '../support/measure.js';
import type { Stack } from '../support/stack.js';
import { eventsOf, graphOf, timelineOf } from './answers.js';
import { traced, type Work } from './trace.js';

// Measures the console in headless Chromium. Home and the changes of screens ask the real service; lists and the graph get large
// answers made here, because their figures are about the page.

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const EVENTS = 500;
const HOME_ROUNDS = 5;
const SCROLLS = 60;
const SCROLL_PX = 900;
const MOVES = 90;
const SCREENS = ['Events', 'Exceptions', 'Bundles', 'Custody', 'Rules', 'Webhooks'];

export async function benchConsole(stack: Stack): Promise<readonly Figure[]> {
  const executablePath = process.env['TEST_BROWSER'] ?? PLACES.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error('no Chromium here; name one in TEST_BROWSER');
  const events = Array.from({ length: EVENTS }, (_, n) => benchEnvelope(n, 'console'));
  await stack.rest.post('/v1/events', JSON.stringify(events));
  const key = await stack.rest.post('/v1/api-keys', JSON.stringify({ name: 'console', scopes: ['admin'] }));
  // The answer of the service that this benchmark has started.
  const { api_key } = JSON.parse(key) as { readonly api_key: string };
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const visitor = new Visitor(browser, stack.url, api_key);
    return [
      ...(await benchHome(visitor)),
      ...(await benchTimeline(visitor)),
      ...(await benchTable(visitor)),
      ...(await benchGraph(visitor)),
    ];
  } finally {
    await browser.close();
  }
}

/** Opens pages that are signed in. */
class Visitor {
  readonly browser: Browser;
  readonly #url: string;
  readonly #key: string;

  constructor(browser: Browser, url: string, key: string) {
    this.browser = browser;
    this.#url = url;
    this.#key = key;
  }

  /** Signs in, and starts with a browser that has nothing of the console in its cache. */
  async context(): Promise<BrowserContext> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 844 } });
    const answer = await context.request.post(`${this.#url}/v1/session`, {
      headers: { 'x-api-key': this.#key, origin: this.#url },
      data: {},
    });
    if (!answer.ok()) throw new Error(`no session: ${answer.status()}`);
    return context;
  }

  async open(context: BrowserContext, place: string): Promise<Page> {
    const page = await context.newPage();
    await page.addInitScript(NOTE_READY);
    await page.goto(`${this.#url}/console${place}`);
    return page;
  }
}

/** In the page: notes the frames since the last click until the screen shows data in place of skeletons. */
const NOTE_READY = `
  window.__from = 0;
  addEventListener('click', () => { window.__from = performance.now(); window.__ready = undefined; look(); }, true);
  const isReady = () => document.querySelector('main h1') && !document.querySelector('.skeleton');
  const look = () => requestAnimationFrame(() => {
    if (isReady() && performance.now() - window.__from > 1) window.__ready = performance.now() - window.__from;
    else look();
  });
  look();`;

/** Asks frame by frame: the policy of the page lets no text become a condition that the page itself would watch. */
const readyMs = async (page: Page): Promise<number> =>
  Number(
    await page.evaluate(`new Promise((tell) => {
      const ask = () => window.__ready === undefined ? requestAnimationFrame(ask) : tell(window.__ready);
      ask();
    })`),
  );

const load = (): string => `load of the machine: ${loadavg()[0]?.toFixed(1)}`;

async function benchHome(visitor: Visitor): Promise<readonly Figure[]> {
  const home: number[] = [];
  const changes: number[] = [];
  for (let round = 0; round < HOME_ROUNDS; round++) {
    const context = await visitor.context();
    const page = await visitor.open(context, '/');
    home.push(await readyMs(page));
    // The first opening of a screen loads its files; the second is the change that a reader meets most.
    for (const isMeasured of [false, true]) {
      for (const screen of SCREENS) {
        const link = page.getByRole('navigation').getByRole('link', { name: screen, exact: true });
        await link.click();
        const ms = await readyMs(page);
        if (isMeasured) changes.push(ms);
      }
    }
    await context.close();
  }
  return [
    atMost('the console: Home with its data, from a cold cache', 'ms', 1_500, home, [load()]),
    atMost('the console: change to another screen, with its data', 'ms', 200, changes, [load()]),
  ];
}

/** A page with answers that this file gives. */
async function withAnswer(
  visitor: Visitor,
  { path, answer, place }: { readonly path: string; readonly answer: object; readonly place: string },
  work: (page: Page) => Promise<Work>,
): Promise<Work> {
  const context = await visitor.context();
  const json = JSON.stringify(answer);
  await context.route(path, (route) => route.fulfill({ contentType: 'application/json', body: json }));
  const page = await visitor.open(context, place);
  try {
    return await work(page);
  } finally {
    await context.close();
  }
}

/** Turns the wheel over an element, and then goes to its end and back. */
const scrolled = (visitor: Visitor, selector: string) => async (page: Page) => {
  await page.locator(selector).first().waitFor({ timeout: 120_000 });
  await readyMs(page);
  await page.locator(selector).first().hover();
  return traced(visitor.browser, page, async () => {
    for (let n = 0; n < SCROLLS; n++) {
      await page.mouse.wheel(0, SCROLL_PX);
      await page.evaluate('new Promise(requestAnimationFrame)');
    }
    for (const part of ['scrollHeight', '0']) {
      const element = `document.querySelector(${JSON.stringify(selector)})`;
      await page.evaluate(`${element}.scrollTop = ${part === '0' ? 0 : `${element}.${part}`}`);
      await page.evaluate('new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))');
    }
  });
};

const scrollFigure = (name: string, { longestTaskMs, longestCpuMs, stalls }: Work): Figure =>
  atMost(
    name,
    'ms (longest task)',
    50,
    [longestTaskMs],
    [`${stalls} tasks of more than 50 ms; the longest takes ${longestCpuMs.toFixed(0)} ms of the processor`, load()],
  );

async function benchTimeline(visitor: Visitor): Promise<readonly Figure[]> {
  const asked = { path: '**/v1/members/*/timeline*', answer: timelineOf(10_000), place: '/members/M-1' };
  const work = await withAnswer(visitor, asked, async (page) => {
    await page.getByRole('button', { name: 'Continue' }).click();
    return scrolled(visitor, '.viewport')(page);
  });
  return [scrollFigure('the console: scrolling a timeline of 10,000 items', work)];
}

async function benchTable(visitor: Visitor): Promise<readonly Figure[]> {
  const asked = { path: '**/v1/events*', answer: eventsOf(100_000), place: '/events' };
  const work = await withAnswer(visitor, asked, scrolled(visitor, '.viewport'));
  return [scrollFigure('the console: scrolling a table of 100,000 rows', work)];
}

async function benchGraph(visitor: Visitor): Promise<readonly Figure[]> {
  const place = '/graph?node=member:M-1&limit=5000';
  const asked = { path: '**/v1/graph/subgraph*', answer: graphOf(5_000), place };
  const work = await withAnswer(visitor, asked, async (page) => {
    await readyMs(page);
    const box = await page.locator('canvas.graph').boundingBox();
    if (box === null) throw new Error('the graph has no place');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    return traced(visitor.browser, page, async () => {
      await page.mouse.move(x, y);
      await page.mouse.down();
      for (let n = 0; n < MOVES; n++) {
        await page.mouse.move(x + 2 * n, y + Math.sin(n / 10) * 60);
        await page.evaluate('new Promise(requestAnimationFrame)');
      }
      await page.mouse.up();
    });
  });
  const { scriptMs } = work;
  const p95 = scriptMs[Math.floor(scriptMs.length * 0.95)] ?? 0;
  const middle = scriptMs[Math.floor(scriptMs.length / 2)] ?? 0;
  const lines = [
    `${scriptMs.length} frames, median ${middle.toFixed(1)} ms of script, 95 % at most ${p95.toFixed(1)} ms`,
  ];
  return [
    atMost(
      'the console: dragging in a graph of 5,000 nodes',
      'ms of script a frame (95 %)',
      16,
      [p95],
      [...lines, load()],
    ),
  ];
}
