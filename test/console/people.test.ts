import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { threadsOf } from '../../console/src/screens/member/threads.js';
import { BROWSER_PATH } from '../support/browser.js';
import { envelope } from '../support/envelopes.js';
import { itUnless, lackOf } from '../support/needs.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { inPage, signIn, visit } from './console-kit.js';
import { filledTenant, MEMBER } from './samples.js';

// Who saw what, who may do what, and the conversation about a claim.

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.stop());

const inBrowser = itUnless(lackOf(BROWSER_PATH, 'chromium'));

type Entry = Parameters<typeof threadsOf>[0][number];

const entry = (n: number, payload: object): Entry => ({
  kind: 'EVENT',
  id: `evt_${n}`,
  at: `2026-03-0${n}T00:00:00.000Z`,
  member_id: MEMBER,
  type: 'claim_submitted',
  status: null,
  source_system: 'claims',
  record: { payload },
});

describe('threads of a timeline', () => {
  it('join request, claim and payment by the numbers that they share, oldest first', () => {
    const threads = threadsOf([
      entry(4, { claim_id: 'C-2' }),
      entry(3, { claim_id: 'C-1', payer_claim_id: 'P-1' }),
      entry(2, { claim_id: 'C-1', prior_authorizations: ['A-1'] }),
      entry(1, { authorization_number: 'A-1' }),
      { ...entry(5, {}), record: null },
    ]);
    expect(threads.map(({ name, entries }) => [name, entries.map(({ id }) => id)])).toEqual([
      ['C-1', ['evt_1', 'evt_2', 'evt_3']],
    ]);
  });

  it('keep a claim and an authorization with the same number apart', () => {
    expect(threadsOf([entry(2, { claim_id: '7' }), entry(1, { authorization_number: '7' })])).toEqual([]);
  });
});

describe('the member screen', () => {
  inBrowser('shows a claim with its payment as one thread', async () => {
    const { http } = await filledTenant(service.operator);
    const { items } = (await http.get('/v1/events?source_system=remits&limit=10')).json;
    const paid = items.find((event: { member_id?: string }) => event.member_id !== undefined);
    await inPage(http, async (page) => {
      await signIn(page, http, `/members/${paid.member_id}`);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.locator('[data-thread] li').nth(1).waitFor();
    });
  });
});

describe('the timeline', () => {
  inBrowser('filters by code and outcome once the reader has finished typing', async () => {
    const { http } = await filledTenant(service.operator);
    const said = { member_id: 'M-said', outcome: 'DENIED', payload: { carc: ['50'] } };
    await http.post('/v1/events', envelope('said', said));
    await http.post('/v1/events', envelope('paid', { ...said, outcome: 'PAID', payload: {} }));
    const reads = async (): Promise<number> =>
      (await http.get('/v1/custody?subject_kind=MEMBER&subject_id=M-said&limit=100')).json.items.length;
    await inPage(http, async (page) => {
      await signIn(page, http, '/members/M-said');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('2 records read').waitFor();
      const before = await reads();
      await page.getByLabel('Code, carc:50').pressSequentially('carc:50');
      await page.keyboard.press('Enter');
      await page.getByText('1 records read').waitFor();
      expect(await reads()).toBe(before + 1);
      await page.getByLabel('Outcome').fill('PAID');
      await page.getByLabel('From the day').focus();
      await page.getByText('Nothing is known of this identifier.', { exact: false }).waitFor();
      expect(new URL(page.url()).search).toBe('?code=carc%3A50&outcome=PAID');
      await page.getByLabel('Code, carc:50').fill('50');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
    });
  });
});

describe('custody', () => {
  inBrowser('names the people and keys, and lists the acts of one of them', async () => {
    const { http, denialId } = await filledTenant(service.operator);
    await http.get(`/v1/members/${MEMBER}/timeline?purpose=TREATMENT`);
    await inPage(http, async (page) => {
      await signIn(page, http, '/custody');
      await page.getByRole('link', { name: 'console', exact: true }).first().click();
      await page.waitForURL(/actor_id=key_/);
      await page.locator('[data-row]').first().waitFor();
      await visit(page, http, `/events/${denialId}`);
    });
  });
});

describe('administration', () => {
  inBrowser('creates and deletes a role, and turns a feature flag on and off', async () => {
    const { http } = await filledTenant(service.operator);
    const flag = { type: 'boolean', variants: { on: true, off: false }, default_variant: 'off', enabled: false };
    const headers = { 'content-type': 'application/json' };
    const put = { method: 'PUT', headers, body: JSON.stringify(flag) };
    expect((await http.call('/v1/feature-flags/letters', put)).status).toBeLessThan(300);
    await inPage(http, async (page) => {
      await signIn(page, http, '/admin');
      await page.getByLabel('Name of the new role').fill('reader');
      await page.getByLabel('Scopes of the new role').fill('events:read, documents:read');
      await page.getByRole('button', { name: 'Create the role' }).click();
      const role = page.getByRole('row', { name: /^reader documents:read, events:read console/ });
      await role.getByRole('button', { name: 'Delete the role' }).click();
      await role.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Turn on' }).click();
      await page.getByRole('button', { name: 'Turn off' }).waitFor();
      expect((await http.get('/v1/feature-flags/letters')).json.enabled).toBe(true);
      await page.getByRole('button', { name: 'Turn off' }).click();
      await page.getByRole('button', { name: 'Turn on' }).waitFor();
    });
  });
});
