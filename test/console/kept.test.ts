import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { BROWSER_PATH } from '../support/browser.js';
import { type Http } from '../support/http.js';
import { itUnless, lackOf } from '../support/needs.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { inPage, menu, signIn } from './console-kit.js';
import { filledTenant } from './samples.js';

// What a reader has typed outlives an ended session, a lost connection and another user's change.

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.stop());

const inBrowser = itUnless(lackOf(BROWSER_PATH, 'chromium'));

async function withException(): Promise<{ readonly http: Http; readonly id: string }> {
  const { http } = await filledTenant(service.operator);
  const headers = { 'content-type': 'application/edi-x12' };
  await http.call('/v1/ingest/raw?source_system=bad', { method: 'POST', headers, body: 'ISA*broken' });
  const [exception] = (await http.get('/v1/exceptions')).json.items;
  return { http, id: exception.exception_id };
}

/** Ends every session of the tenant, as an administrator does. */
async function endSessions(http: Http): Promise<void> {
  for (const { session_id } of (await http.get('/v1/sessions')).json.items)
    await http.call(`/v1/sessions/${session_id}`, { method: 'DELETE' });
}

describe('an ended session', () => {
  inBrowser('asks for a sign-in, hides the record meanwhile, and gives the same user the typed text back', async () => {
    const { http, id } = await withException();
    await inPage(http, async (page) => {
      await signIn(page, http, `/exceptions/${id}`);
      await page.getByLabel('Note').fill('Half a sentence');
      await endSessions(http);
      await page.getByRole('button', { name: 'Resolve', exact: true }).click();
      await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
      expect(await page.getByLabel('Note').isVisible()).toBe(false);
      await page.getByLabel('API key').fill(http.key ?? '');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' });
      expect(new URL(page.url()).pathname).toBe(`/console/exceptions/${id}`);
      expect(await page.getByLabel('Note').inputValue()).toBe('Half a sentence');
      await page.getByRole('button', { name: 'Resolve', exact: true }).click();
      await page.getByText('RESOLVED').first().waitFor();
      expect((await http.get(`/v1/exceptions/${id}`)).json.resolution_note).toBe('Half a sentence');
    });
  });

  inBrowser('gives another user nothing of the one before', async () => {
    const { http, id } = await withException();
    const other = await filledTenant(service.operator);
    await inPage(http, async (page) => {
      await signIn(page, http, `/exceptions/${id}`);
      await page.getByLabel('Note').fill('Half a sentence');
      await endSessions(http);
      await page.getByRole('button', { name: 'Resolve', exact: true }).click();
      await page.getByLabel('API key').fill(other.http.key ?? '');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      // The exception is none of the other tenant's.
      await page.getByRole('alert').filter({ hasText: 'NOT_FOUND' }).waitFor();
      expect(await page.getByText('Half a sentence').count()).toBe(0);
      expect(await page.getByLabel('Note').count()).toBe(0);
    });
  });
});

describe('a lost connection', () => {
  inBrowser('is shown, keeps the typed text, opens screens again, and ends by itself', async () => {
    const { http, id } = await withException();
    await inPage(http, async (page) => {
      await signIn(page, http, `/exceptions/${id}`);
      await page.getByLabel('Note').fill('Half a sentence');
      await page.route('**/v1/**', (route) => route.abort('connectionfailed'));
      await page.getByRole('button', { name: 'Resolve', exact: true }).click();
      await page.getByText('The connection is lost.', { exact: false }).waitFor();
      await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor();
      expect(await page.getByLabel('Note').inputValue()).toBe('Half a sentence');
      await page.unroute('**/v1/**');
      await page.getByText('The connection is lost.', { exact: false }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Resolve', exact: true }).click();
      await page.getByText('RESOLVED').first().waitFor();
      // A screen that does not arrive leaves the rest of the page, and loads when the connection is back.
      await page.route('**/console/assets/**', (route) => route.abort('connectionfailed'));
      await menu(page, 'Custody');
      await page.getByRole('heading', { name: 'This screen did not load' }).waitFor();
      await page.unroute('**/console/assets/**');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'Custody', exact: true }).waitFor();
    });
  });
});

describe('a record that another user changes', () => {
  inBrowser('shows the change before the own step is sent, and keeps the typed text', async () => {
    const { http, id } = await withException();
    await inPage(http, async (page) => {
      await signIn(page, http, `/exceptions/${id}`);
      await page.getByLabel('Assignee').fill('me');
      await http.post(`/v1/exceptions/${id}/assign`, { assignee: 'somebody else' });
      await page.getByRole('button', { name: 'Assign', exact: true }).click();
      const change = page.getByRole('alert').filter({ hasText: 'This record has changed since you opened it.' });
      await change.getByText('somebody else').waitFor();
      expect((await http.get(`/v1/exceptions/${id}`)).json.assigned_to).toBe('somebody else');
      expect(await page.getByLabel('Assignee').inputValue()).toBe('me');
      await change.getByRole('button', { name: 'I have seen the change; go on' }).click();
      await page.getByRole('button', { name: 'Assign', exact: true }).click();
      await page.getByText('assign → ASSIGNED me').waitFor();
      expect((await http.get(`/v1/exceptions/${id}`)).json.assigned_to).toBe('me');
    });
  });
});
