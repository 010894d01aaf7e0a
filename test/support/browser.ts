import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A browser of the machine's own; tests of pages skip by name where there is none. */
export const BROWSER_PATH = process.env['TEST_BROWSER'] ?? PLACES.find((path) => existsSync(path));

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: BROWSER_PATH ?? '', args: ['--no-sandbox', '--disable-gpu'] });

/** What a page asks of hosts other than its own, and what the browser complains of; both grow as the page lives. */
export function watched(page: Page, own: string): { readonly foreign: string[]; readonly complaints: string[] } {
  const foreign: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== own) foreign.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { foreign, complaints };
}
