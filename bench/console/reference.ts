import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { atMost, type Figure } from '../support/measure.js';
import type { Stack } from '../support/stack.js';

// Measures the API reference in headless Chromium, with nothing in the browser's cache.

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ROUNDS = 5;
const AIM_MS = 2_000;

/** Pages, each with what it shows when it is ready. */
const PAGES: readonly { readonly name: string; readonly path: string; readonly ready: string }[] = [
  { name: 'all operations', path: '/docs/api', ready: '#webhook-deliveries' },
  { name: 'the largest operation', path: '/docs/api/ingest/ingestRaw', ready: 'h2#schemas' },
  { name: 'trying one operation', path: '/docs/try#/ingest/ingestRaw', ready: '.opblock .execute' },
];

export async function benchReference(stack: Stack): Promise<readonly Figure[]> {
  const executablePath = process.env['TEST_BROWSER'] ?? PLACES.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error('no Chromium here; name one in TEST_BROWSER');
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const figures: Figure[] = [];
    for (const { name, path, ready } of PAGES) {
      const rounds: Opened[] = [];
      while (rounds.length < ROUNDS) rounds.push(await opened(browser, stack.url + path, ready));
      const cpu = rounds.map(({ cpuMs }) => Math.round(cpuMs)).join(', ');
      figures.push(
        atMost(
          `API reference, ${name}`,
          'ms',
          AIM_MS,
          rounds.map(({ ms }) => ms),
          [`of processor time of the page: ${cpu} ms`],
        ),
      );
    }
    return figures;
  } finally {
    await browser.close();
  }
}

interface Opened {
  readonly ms: number;
  readonly cpuMs: number;
}

async function opened(browser: Browser, url: string, ready: string): Promise<Opened> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable');
    const from = performance.now();
    await page.goto(url);
    await page.locator(ready).last().waitFor();
    const ms = performance.now() - from;
    const { metrics } = await session.send('Performance.getMetrics');
    const seconds = metrics.find(({ name }) => name === 'ProcessTime')?.value ?? Number.NaN;
    return { ms, cpuMs: seconds * 1_000 };
  } finally {
    await context.close();
  }
}
