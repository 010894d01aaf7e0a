import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { BROWSER_PATH } from '../support/browser.js';
import { envelope } from '../support/envelopes.js';
import type { Http } from '../support/http.js';
import { itUnless, lackOf } from '../support/needs.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { inPage, signIn } from './console-kit.js';
import { filledTenant } from './samples.js';

// Triage of exceptions in the page, by keyboard.

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.stop());

const inBrowser = itUnless(lackOf(BROWSER_PATH, 'chromium'));

/** Holds the frames of a page, which then come one by one, as on a machine with too much to do. */
const LATE_FRAMES = `
  const ask = window.requestAnimationFrame.bind(window);
  let waiting = null;
  window.requestAnimationFrame = (draw) => {
    if (waiting === null) return ask(draw);
    const frame = 1e6 + waiting.length;
    waiting.push(draw);
    return frame;
  };
  const drop = window.cancelAnimationFrame.bind(window);
  window.cancelAnimationFrame = (frame) => (frame < 1e6 ? drop(frame) : waiting.splice(frame - 1e6, 1, () => {}));
  window.late = {};
  window.late.hold = () => void (waiting = []);
  let drawn = 0;
  window.late.drawOne = () => waiting[drawn++]?.(performance.now());
`;

/** Opens this many exceptions: each is a fact that a source states twice, differently. */
async function conflicts(http: Http, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    for (const outcome of ['APPROVED', 'DENIED']) await http.post('/v1/events', envelope(`conflict-${n}`, { outcome }));
}

describe('triage by keyboard', () => {
  inBrowser('moves, chooses, assigns, resolves and marks known gaps, and shows its keys', async () => {
    const { http } = await filledTenant(service.operator);
    await conflicts(http, 4);
    await inPage(http, async (page) => {
      await signIn(page, http, '/exceptions');
      await page
        .getByRole('checkbox', { name: /^Choose exc_/ })
        .nth(3)
        .waitFor();
      const press = async (...keys: readonly string[]): Promise<void> => {
        for (const key of keys) await page.keyboard.press(key);
      };
      const { items } = (await http.get('/v1/exceptions?status=OPEN')).json;
      const ids = items.map((item: { exception_id: string }) => item.exception_id);
      const boxes = page.getByRole('checkbox', { name: /^Choose exc_/ });
      // The list is read again after a step; keys before that would move from rows that go.
      const listed = (count: number): Promise<void> => boxes.nth(count).waitFor({ state: 'detached' });
      await press('?');
      await page.getByRole('dialog').getByText('Next exception').waitFor();
      await press('Escape', 'j', 'x', 'j', 'x', 'a');
      // Letters in a field are text.
      await page.keyboard.type('jaxrk');
      await press('Enter');
      await page.getByText('2 done, 0 refused.').waitFor();
      await listed(ids.length - 2);
      const assigned = (await http.get('/v1/exceptions?status=ASSIGNED')).json.items;
      expect(assigned.map((item: { exception_id: string }) => item.exception_id).sort()).toEqual(
        ids.slice(0, 2).sort(),
      );
      expect(assigned[0].assigned_to).toBe('jaxrk');
      await press('j', 'g');
      await page.getByLabel('Reason of the gap').fill('The sender was down.');
      await page.getByLabel('Until').fill('2099-01-01');
      await page.keyboard.press('Enter');
      await page.getByText('1 done, 0 refused.').waitFor();
      await listed(ids.length - 3);
      const [gap] = (await http.get('/v1/exceptions?status=KNOWN_GAP')).json.items;
      expect([gap.known_gap.reason, gap.known_gap.until]).toEqual(['The sender was down.', '2099-01-01T00:00:00.000Z']);
      await press('j', 'r');
      // The page may still show the same words about the step before.
      const resolved = page.waitForResponse((response) => response.url().endsWith('/resolve'));
      await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
      expect((await resolved).status()).toBe(200);
      await page.getByText('1 done, 0 refused.').waitFor();
      expect((await http.get('/v1/exceptions?status=RESOLVED')).json.items.length).toBe(1);
    });
  });

  inBrowser('stays at the row that the reader went to last, where the browser draws late', async () => {
    const { http } = await filledTenant(service.operator);
    await conflicts(http, 3);
    await inPage(http, async (page) => {
      await page.addInitScript(LATE_FRAMES);
      await signIn(page, http, '/exceptions');
      await page
        .getByRole('checkbox', { name: /^Choose exc_/ })
        .nth(2)
        .waitFor();
      await page.evaluate('late.hold()');
      await page.keyboard.press('j');
      // The first of the frames that the first step may wait for; the second comes after the next step.
      await page.evaluate('late.drawOne()');
      await page.keyboard.press('j');
      await page.evaluate('late.drawOne()');
      await page.keyboard.press('x');
      const chosen = page.getByRole('checkbox', { name: /^Choose exc_/, checked: true });
      expect(await chosen.count()).toBe(1);
      const second = await page
        .getByRole('checkbox', { name: /^Choose exc_/ })
        .nth(1)
        .isChecked();
      expect(second).toBe(true);
    });
  });

  inBrowser('takes no key while a field has the focus, and none when it is turned off', async () => {
    const { http } = await filledTenant(service.operator);
    await conflicts(http, 1);
    await inPage(http, async (page) => {
      await signIn(page, http, '/exceptions');
      await page
        .getByRole('checkbox', { name: /^Choose exc_/ })
        .first()
        .waitFor();
      await page.getByLabel('Only assigned to').focus();
      await page.keyboard.press('?');
      expect(await page.getByLabel('Only assigned to').inputValue()).toBe('?');
      expect(await page.getByRole('dialog').count()).toBe(0);
      await page.getByLabel('Only assigned to').fill('');
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
      await page.getByLabel('Shortcuts are on').uncheck();
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      expect(await page.getByRole('dialog').count()).toBe(0);
    });
  });

  inBrowser('refuses a step for an exception that somebody else has changed, and says so', async () => {
    const { http } = await filledTenant(service.operator);
    await conflicts(http, 2);
    await inPage(http, async (page) => {
      await signIn(page, http, '/exceptions');
      const boxes = page.getByRole('checkbox', { name: /^Choose exc_/ });
      await boxes.nth(1).waitFor();
      for (const at of [0, 1]) await boxes.nth(at).check();
      const [first] = (await http.get('/v1/exceptions?status=OPEN')).json.items;
      await http.post(`/v1/exceptions/${first.exception_id}/mark-known-gap`, { reason: 'theirs' });
      await page.getByRole('button', { name: 'Assign (2)' }).click();
      await page.getByLabel('Assign the chosen ones to').fill('me');
      await page.keyboard.press('Enter');
      await page.getByText('1 done, 1 refused.').waitFor();
      const after = (await http.get(`/v1/exceptions/${first.exception_id}`)).json;
      expect([after.status, after.known_gap.reason]).toEqual(['KNOWN_GAP', 'theirs']);
    });
  });
});
