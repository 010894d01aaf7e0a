import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, watched } from '../support/browser.js';
import type { Http } from '../support/http.js';

/** Long enough for a machine that does other work; no test waits for it where the page works. */
const PATIENCE_MS = 90_000;

/** One browser for the tests of a file. */
let shared: Promise<Browser> | undefined;
afterAll(async () => (await shared)?.close());

/**
 * Opens a page with its own cookies, and checks at the end that it asked no other host and broke no policy.
 *
 * @param others hosts that the page may be led to, such as a sign-in provider.
 */
export async function inPage(
  service: Http,
  check: (page: Page) => Promise<void>,
  others: readonly string[] = [],
): Promise<void> {
  shared ??= openBrowser();
  const context = await (await shared).newContext({ locale: 'en-US', timezoneId: 'UTC' });
  context.setDefaultTimeout(PATIENCE_MS);
  try {
    const page = await context.newPage();
    const { foreign, complaints } = watched(page, new URL(service.url).origin);
    await check(page);
    // The page shows a refusal of the service, and a file that did not arrive; the browser and React log them too.
    const shown = ['Failed to load resource', 'TypeError: Failed to fetch dynamically imported module'];
    const own = complaints.filter((text) => !shown.some((start) => text.startsWith(start)));
    const asked = foreign.filter((url) => !others.some((other) => url.startsWith(other)));
    expect({ foreign: asked, complaints: own }).toEqual({ foreign: [], complaints: [] });
  } finally {
    await context.close();
  }
}

/** Goes to a place below /console and signs in there. */
export async function signIn(page: Page, service: Http, place = ''): Promise<void> {
  await page.goto(`${service.url}/console${place}`);
  await page.getByLabel('API key').fill(service.key ?? '');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await settled(page);
}

/** Follows the link of a screen in the menu; screens have links of the same words. */
export const menu = (page: Page, screen: string): Promise<void> =>
  page.getByRole('navigation').getByRole('link', { name: screen, exact: true }).click();

/** Goes to a place as a reader who types its address. */
export async function visit(page: Page, service: Http, place: string, signedIn = 'Sign out'): Promise<void> {
  await page.goto(`${service.url}/console${place}`);
  await page.getByRole('button', { name: signedIn }).waitFor();
  await settled(page);
}

/** Resolves when the screen is loaded and shows its data in place of skeletons. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  const waiting = page.locator('.skeleton');
  while ((await waiting.count()) > 0) await waiting.first().waitFor({ state: 'detached' });
}

/** The violations of WCAG 2.2 A and AA that axe finds in the settled page, by rule and element. */
export async function violationsIn(page: Page): Promise<string[]> {
  await settled(page);
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
