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

/** Opens a page with its own cookies, and checks at the end that it asked no other host and broke no policy. */
export async function inPage(service: Http, check: (page: Page) => Promise<void>): Promise<void> {
  shared ??= openBrowser();
  const context = await (await shared).newContext({ locale: 'en-US', timezoneId: 'UTC' });
  context.setDefaultTimeout(PATIENCE_MS);
  try {
    const page = await context.newPage();
    const { foreign, complaints } = watched(page, new URL(service.url).origin);
    await check(page);
    // A refusal of the service is shown in the page, and the browser logs it too.
    const own = complaints.filter((text) => !text.startsWith('Failed to load resource'));
    expect({ foreign, complaints: own }).toEqual({ foreign: [], complaints: [] });
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

/** Resolves when the screen shows its data in place of skeletons. */
async function settled(page: Page): Promise<void> {
  await page.locator('#content h1').first().waitFor();
  const waiting = page.locator('.skeleton');
  while ((await waiting.count()) > 0) await waiting.first().waitFor({ state: 'detached' });
}

/** The violations of WCAG 2.2 A and AA that axe finds in the page, by rule and element. */
export async function violationsIn(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
