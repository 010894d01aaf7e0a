import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { BROWSER_PATH } from '../support/browser.js';
import { freshTenant } from '../support/http.js';
import { itUnless, lackOf } from '../support/needs.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { inPage, signIn, violationsIn } from './console-kit.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.stop());

const inBrowser = itUnless(lackOf(BROWSER_PATH, 'chromium'));

describe('a custodian without a key', () => {
  inBrowser('acknowledges a notice with the link that counsel copies, without a session', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const hold = { name: 'Doe v. Acme', scope: { member_ids: ['M-1'] }, reason: 'Complaint served.' };
    const holdId = (await http.post('/v1/legal-holds', hold)).json.hold_id;
    const notice = { custodian: 'Jane Roe, Claims', text: 'Keep all records about member M-1.' };
    await http.post(`/v1/legal-holds/${holdId}/notices`, notice);
    let address = '';
    await inPage(http, async (page) => {
      await signIn(page, http, `/holds/${holdId}`);
      await page.getByRole('button', { name: 'Link to acknowledge' }).click();
      address = (await page.locator('[data-link] code').textContent()) ?? '';
      expect(await violationsIn(page)).toEqual([]);
    });
    expect(address).toMatch(/\/console\/notice#ehn_/);
    await inPage(http, async (page) => {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.goto(address);
      await page.getByText(notice.text).waitFor();
      expect(await violationsIn(page)).toEqual([]);
      await page.getByLabel('Your full name').fill('Jane Q. Roe');
      await page.getByRole('button', { name: 'I have read it and will comply' }).click();
      await page.getByRole('status').filter({ hasText: 'Acknowledged' }).waitFor();
      expect(await violationsIn(page)).toEqual([]);
      // The token is in no address of a page, and the page asks for no session.
      expect(asked.filter((path) => path.includes('ehn_')).every((path) => path.startsWith('/v1/notice-links/'))).toBe(
        true,
      );
      expect(asked).not.toContain('/v1/session');
    });
    const [row] = (await http.get(`/v1/legal-holds/${holdId}/notices`)).json.items;
    expect([row.status, row.how]).toEqual(['ACKNOWLEDGED', 'By link, as Jane Q. Roe']);
    await inPage(http, async (page) => {
      await page.goto(`${address.slice(0, -4)}AAAA`);
      await page.getByRole('alert').filter({ hasText: 'NOT_FOUND' }).waitFor();
    });
  });
});
