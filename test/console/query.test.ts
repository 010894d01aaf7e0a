import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { barsOf, tableIn } from '../../console/src/screens/query/answer-table.js';
import { BROWSER_PATH } from '../support/browser.js';
import { itUnless, lackOf } from '../support/needs.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { inPage, signIn } from './console-kit.js';
import { filledTenant, MEMBER } from './samples.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.stop());

const inBrowser = itUnless(lackOf(BROWSER_PATH, 'chromium'));

describe('an answer of the graph', () => {
  it('is shown by its longest list of objects, with the names of nested values', () => {
    const answer = {
      denials: { items: [{ code: 'CARC/50', provider: { npi: '1' }, count: 3, days: [1, 2], note: null }] },
      other: [{ id: 'a' }, { id: 'b', tags: ['x', 'y'] }],
    };
    expect(tableIn(answer)).toEqual({
      columns: ['id', 'tags'],
      rows: [
        ['a', ''],
        ['b', 'x, y'],
      ],
    });
    expect(tableIn({ denials: answer.denials })).toEqual({
      columns: ['code', 'provider.npi', 'count', 'days', 'note'],
      rows: [['CARC/50', '1', '3', '[1,2]', '']],
    });
    expect([tableIn({ count: 1 }), tableIn(null), tableIn([[], {}])]).toEqual([null, null, null]);
  });

  it('is drawn by its last column of numbers, named by its texts', () => {
    const table = { columns: ['code', 'count', 'sum'], rows: [['CARC/50', '3', '12.5']] };
    expect(barsOf(table)).toEqual([{ name: 'CARC/50', count: 12.5 }]);
    expect(barsOf({ columns: ['code'], rows: [['CARC/50']] })).toEqual([]);
    expect(barsOf({ columns: ['count'], rows: [['3']] })).toEqual([{ name: '1', count: 3 }]);
  });
});

describe('the screen of queries', () => {
  inBrowser('answers a saved question at its address as a table, a chart and a file', async () => {
    const { http } = await filledTenant(service.operator);
    await inPage(http, async (page) => {
      await signIn(page, http, '/query');
      await page.getByLabel('Saved question').selectOption('denialsByProviderCodeProgramMonth');
      await page.getByLabel('from', { exact: true }).fill('2026-01-01T00:00:00Z');
      await page.getByLabel('to', { exact: true }).fill('2027-01-01T00:00:00Z');
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.locator('[data-answer=table] [data-row]').first().waitFor();
      expect(new URL(page.url()).searchParams.get('question')).toBe('denialsByProviderCodeProgramMonth');
      await page.getByRole('button', { name: 'Chart' }).click();
      await page.locator('[data-answer=chart] meter').first().waitFor();
      await page.getByRole('button', { name: 'JSON', exact: true }).click();
      await page.locator('[data-answer=json] pre').waitFor();
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: 'CSV', exact: true }).click();
      expect((await readFile(await (await downloading).path(), 'utf8')).split('\r\n').length).toBeGreaterThan(1);
    });
  });

  inBrowser('asks for the variables of a question, and keeps them in its address', async () => {
    const { http } = await filledTenant(service.operator);
    await inPage(http, async (page) => {
      await signIn(page, http, '/query?question=memberTimeline');
      expect(await page.getByRole('button', { name: 'Ask', exact: true }).isDisabled()).toBe(true);
      await page.getByLabel('member_id').fill(MEMBER);
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.locator('[data-answer=table] [data-row]').first().waitFor();
      expect(new URL(page.url()).searchParams.get('member_id')).toBe(MEMBER);
    });
  });

  inBrowser('names the faults of a query that the graph did not run', async () => {
    const { http } = await filledTenant(service.operator);
    await inPage(http, async (page) => {
      await signIn(page, http, '/query');
      await page.getByLabel('Question in GraphQL').fill('{ events { items { nothing } } }');
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.getByRole('alert').getByText('nothing').waitFor();
    });
  });
});

describe('the list of events', () => {
  inBrowser(
    'is filtered by code and time at its address; a filter applies when it is complete, as one step of the history',
    async () => {
      const { http } = await filledTenant(service.operator);
      await inPage(http, async (page) => {
        await signIn(page, http, '/events');
        await page.locator('[data-row]').nth(1).waitFor();
        await page.getByLabel('Code, carc:50 for example').pressSequentially('carc:50');
        expect(new URL(page.url()).search).toBe('');
        await page.keyboard.press('Enter');
        await page.waitForURL(/code=carc%3A50/);
        await page.getByLabel('To the day').fill('2026-03-01');
        await page.getByRole('link', { name: 'prior_auth.denied' }).waitFor();
        expect(await page.locator('[data-row]').count()).toBe(1);
        await page.goBack();
        await page.goBack();
        await page.waitForURL(/\/events$/);
      });
    },
  );
});
