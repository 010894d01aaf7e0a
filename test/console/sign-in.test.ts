import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { FRESH_SIGN_IN_MS } from '../../shared/auth/step-up.js';
import { CLIENT, startProvider, type TestProvider } from '../rest-facade/sign-in-provider.js';
import { BROWSER_PATH } from '../support/browser.js';
import { freshTenant, Http } from '../support/http.js';
import { itUnless, lackOf } from '../support/needs.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../support/service-process.js';
import { inPage, signIn, violationsIn, visit } from './console-kit.js';

// Signing in at a provider, and signing in again, in a real browser.

let folder: string;
let provider: TestProvider;
let service: ServiceProcess;
let operator: Http;
beforeAll(async () => {
  if (BROWSER_PATH === undefined) return;
  for (const level of ['warn', 'info'] as const) jest.spyOn(console, level).mockImplementation(() => undefined);
  folder = await mkdtemp(join(tmpdir(), 'sign-in-'));
  const port = await freePort();
  const callback = `http://127.0.0.1:${port}/console/sign-in/oidc/callback`;
  provider = await startProvider(callback);
  service = await startServiceProcess(join(folder, 'data'), {
    PORT: String(port),
    SERVICE_OIDC_ISSUER: provider.issuer,
    SERVICE_OIDC_CLIENT_ID: CLIENT.client_id,
    SERVICE_OIDC_CLIENT_SECRET: CLIENT.client_secret,
    SERVICE_OIDC_REDIRECT_URL: callback,
    SERVICE_OIDC_TENANT_CLAIM: 'tenant',
    NODE_OPTIONS: `--import=${pathToFileURL(repositoryFile('test/support/clock-ahead.mjs')).href}`,
    CLOCK_STEP_MS: String(FRESH_SIGN_IN_MS + 1_000),
  });
  operator = new Http(service.url, TEST_OPERATOR_KEY);
}, 240_000);
afterAll(async () => {
  if (BROWSER_PATH === undefined) return;
  await service.kill();
  await provider.stop();
  await rm(folder, { recursive: true, force: true });
});

const inBrowser = itUnless(lackOf(BROWSER_PATH, 'chromium'));

/** Returns a free port: the provider needs the service's address before the service listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('a server on TCP has an address');
  return address.port;
}

describe('the sign-in page', () => {
  inBrowser('leads over the provider back to the place that was asked for, as the actor', async () => {
    const { http, tenantId } = await freshTenant(operator, ['admin']);
    await http.post('/v1/actors', { name: 'Jordan Reyes', role_ids: ['analyst'], email: 'jordan@example.org' });
    provider.person = { sub: 'jordan', email: 'jordan@example.org', email_verified: true, tenant: tenantId };
    const check = async (page: Parameters<Parameters<typeof inPage>[1]>[0]): Promise<void> => {
      await page.goto(`${service.url}/console/events?family=claim`);
      expect(await violationsIn(page)).toEqual([]);
      await page.getByRole('link', { name: 'Sign in with your organization' }).click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      expect(page.url()).toBe(`${service.url}/console/events?family=claim`);
      await page.getByText('Jordan Reyes').first().waitFor();
    };
    await inPage(http, check, [provider.issuer]);
  });

  inBrowser('says why a person may not enter, without axe violations', async () => {
    const { http, tenantId } = await freshTenant(operator, ['admin']);
    provider.person = { sub: 'nobody', email: 'nobody@example.org', email_verified: true, tenant: tenantId };
    const check = async (page: Parameters<Parameters<typeof inPage>[1]>[0]): Promise<void> => {
      await page.goto(`${service.url}/console`);
      await page.getByRole('link', { name: 'Sign in with your organization' }).click();
      await page.getByRole('alert').filter({ hasText: 'You are not known here' }).waitFor();
      expect(await violationsIn(page)).toEqual([]);
    };
    await inPage(http, check, [provider.issuer]);
  });
});

describe('a step that needs a new sign-in', () => {
  inBrowser('asks for it beside the form, keeps the input, and goes on', async () => {
    const { http } = await freshTenant(operator, ['admin']);
    await inPage(http, async (page) => {
      await signIn(page, http);
      await visit(page, http, '/admin');
      await page.getByLabel('Name of the key').fill('for the clearinghouse');
      service.process.kill('SIGUSR2');
      const create = page.getByRole('button', { name: 'Create the key' });
      await create.click();
      const problem = page.getByRole('alert').filter({ hasText: 'STEP_UP_REQUIRED' });
      await problem.waitFor();
      expect(await violationsIn(page)).toEqual([]);
      await problem.getByLabel('API key').fill(http.key ?? '');
      await problem.getByRole('button', { name: 'Sign in again' }).click();
      await problem.getByText('You are signed in again.').waitFor();
      expect(await page.getByLabel('Name of the key').inputValue()).toBe('for the clearinghouse');
      await create.click();
      await page.getByRole('cell', { name: 'for the clearinghouse' }).first().waitFor();
    });
  });
});
