import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A browser of the machine's own; tests of pages skip by name where there is none. */
export const BROWSER_PATH = process.env['TEST_BROWSER'] ?? PLACES.find((path) => existsSync(path));

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: BROWSER_PATH ?? '', args: ['--no-sandbox', '--disable-gpu'] });
