import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { createCanvas } from '@napi-rs/canvas';
import type { Page } from 'playwright-core';
import { BROWSER_PATH } from '../support/browser.js';
import type { Http } from '../support/http.js';
import { itUnless, lackOf } from '../support/needs.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { pdfOf } from '../vault/pdf-kit.js';
import { inPage, signIn, visit } from './console-kit.js';
import { filledTenant, MEMBER } from './samples.js';

// Work of analysts, operators and reviewers in the page: rules, redactions, the graph and saved views.

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.stop());

const inBrowser = itUnless(lackOf(BROWSER_PATH, 'chromium'));

/** A diagnosis of the denial. */
const CODE = 'ICD10CM/I50.9';

async function download(page: Page, button: string): Promise<string> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: button, exact: true }).click();
  return readFile(await (await downloading).path(), 'utf8');
}

describe('a list', () => {
  inBrowser('reads on where a page is empty and the list has more', async () => {
    const { http } = await filledTenant(service.operator);
    await inPage(http, async (page) => {
      await page.route(
        ({ pathname }) => pathname === '/v1/events',
        async (route) => {
          const url = new URL(route.request().url());
          if (url.searchParams.get('cursor') === 'behind') {
            url.searchParams.delete('cursor');
            return route.continue({ url: url.href });
          }
          return route.fulfill({ json: { items: [], next_cursor: 'behind' } });
        },
      );
      await signIn(page, http, '/events');
      await page.locator('[data-row]').first().waitFor();
    });
  });
});

describe('a rule', () => {
  inBrowser('is drafted, corrected where a fault points to, tried on recent events, and saved', async () => {
    const { http } = await filledTenant(service.operator);
    await inPage(http, async (page) => {
      await signIn(page, http, '/rules');
      await page.getByRole('link', { name: 'Draft a new rule' }).click();
      await page.getByLabel('Key').fill('acme-trial');
      await page.getByLabel('Title').fill('Denials that were denied');
      await page.getByLabel('In force from').fill('2020-01-01');
      await page.getByLabel('Codes, one a line').fill(CODE);
      const criteria = page.getByLabel('Criteria as JSON');
      const wrong = [{ id: 'c1', text: 'Denied.', logic: { '==': [{ var: 'event.outcom' }, 'denied'] } }];
      await criteria.fill(JSON.stringify(wrong, null, 2));
      await page.getByRole('button', { name: 'Try the draft' }).click();
      const fault = page.getByRole('alert').filter({ hasText: '/rule/criteria/0/logic' });
      await fault.getByRole('button', { name: /^Line \d+, column \d+$/ }).click();
      const selected = await page.evaluate(
        '(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)',
      );
      expect(selected).toContain('event.outcom');
      expect(selected).not.toContain('"Denied."');
      const right = [
        { id: 'denied', text: 'Denied.', logic: { '==': [{ var: 'event.outcome' }, 'denied'] } },
        { id: 'visit', text: 'No record says.', logic: { '==': [{ var: 'findings.separate_visit' }, true] } },
      ];
      await criteria.fill(`${JSON.stringify(right)},`);
      await page.getByRole('button', { name: 'Try the draft' }).click();
      await page.getByRole('alert').filter({ hasText: 'JSON' }).waitFor();
      await criteria.fill(JSON.stringify(right));
      await page.getByRole('button', { name: 'Try the draft' }).click();
      await page.getByText(/[1-9]\d* events were looked at/).waitFor();
      await page.getByText('Never got a value: visit.', { exact: false }).waitFor();
      expect((await http.get('/v1/rules?key=acme-trial')).json.items).toEqual([]);
      await page.getByRole('button', { name: 'Save the rule' }).click();
      await page.getByRole('heading', { name: 'Denials that were denied' }).waitFor();
      const [rule] = (await http.get('/v1/rules?key=acme-trial')).json.items;
      expect([rule.revision, rule.criteria]).toEqual([1, right]);
    });
  });

  inBrowser('shows the revision that another user has saved before it adds one', async () => {
    const { http } = await filledTenant(service.operator);
    const rule = { key: 'shared-work', title: 'First', kind: 'POLICY', effective_from: '2020-01-01' };
    const made = await http.post('/v1/rules', rule);
    await inPage(http, async (page) => {
      await signIn(page, http, `/rules/${made.json.rule_id}`);
      await page.getByLabel('Title').fill('Mine');
      await http.post('/v1/rules', { ...rule, title: 'Theirs', effective_from: '2021-01-01' });
      const save = page.getByRole('button', { name: 'Save the next revision' });
      await save.click();
      await page.getByRole('alert').filter({ hasText: '"Theirs"' }).waitFor();
      expect(await page.getByLabel('Title').inputValue()).toBe('Mine');
      expect((await http.get('/v1/rules?key=shared-work')).json.items[0].revision).toBe(2);
      await page.getByLabel('In force from').fill('2022-01-01');
      const saved = page.waitForResponse((response) => response.request().method() === 'POST');
      await save.click();
      expect((await (await saved).json()).revision).toBe(3);
    });
  });
});

describe('a redaction', () => {
  const upload = async (http: Http, bytes: Uint8Array<ArrayBuffer> | string, type: string, name: string) => {
    const form = new FormData();
    form.append('file', new Blob([bytes], { type }), name);
    const init = { method: 'POST', headers: { 'x-api-key': http.key ?? '' }, body: form };
    const stored = await fetch(`${http.url}/v1/documents`, init);
    const { document_id }: { document_id: string } = JSON.parse(await stored.text());
    return document_id;
  };

  inBrowser('names the region that was dragged over a page of a PDF, in points', async () => {
    const { http } = await filledTenant(service.operator);
    const bytes = new Uint8Array(await pdfOf([{ text: 'A letter about Jane Roe', x: 72, y: 700 }], false));
    const id = await upload(http, bytes, 'application/pdf', 'letter.pdf');
    await inPage(http, async (page) => {
      await signIn(page, http, `/documents/${id}`);
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await page.locator('.page[data-drawn="true"]').waitFor();
      const box = await page.locator('.page canvas').boundingBox();
      if (box === null) throw new Error('the page has no place');
      // The page is 612 by 792 points.
      const scale = box.width / 612;
      await page.mouse.move(box.x + 72 * scale, box.y + 80 * scale);
      await page.mouse.down();
      await page.mouse.move(box.x + 172 * scale, box.y + 90 * scale);
      await page.mouse.move(box.x + 272 * scale, box.y + 110 * scale);
      await page.mouse.up();
      await page.locator('[data-region]').waitFor();
      await page.getByLabel('Reason').fill('Names a third person.');
      await page.getByLabel('Basis').fill('45 CFR 164.502(b)');
      await page.getByRole('button', { name: 'Draft the redaction' }).click();
      await page.getByText('page 1: 1 regions').waitFor();
      const [draft] = (await http.get(`/v1/redactions?subject_id=${id}`)).json.items;
      const [region] = draft.pages[0].regions;
      const wanted = { x: 72, y: 80, width: 200, height: 30 };
      for (const [name, value] of Object.entries(wanted)) expect(Math.abs(region[name] - value)).toBeLessThan(1);
    });
  });

  inBrowser('names the region that was dragged over an image, in its own pixels', async () => {
    const { http } = await filledTenant(service.operator);
    const canvas = createCanvas(1_800, 600);
    canvas.getContext('2d').fillRect(0, 0, 10, 10);
    const id = await upload(http, new Uint8Array(canvas.toBuffer('image/png')), 'image/png', 'scan.png');
    await inPage(http, async (page) => {
      await signIn(page, http, `/documents/${id}`);
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await page.locator('.page[data-drawn="true"]').waitFor();
      const box = await page.locator('.page img').boundingBox();
      if (box === null) throw new Error('the image has no place');
      const scale = box.width / 1_800;
      await page.mouse.move(box.x + 200 * scale, box.y + 100 * scale);
      await page.mouse.down();
      await page.mouse.move(box.x + 500 * scale, box.y + 200 * scale);
      await page.mouse.move(box.x + 800 * scale, box.y + 300 * scale);
      await page.mouse.up();
      await page.locator('[data-region]').waitFor();
      await page.getByLabel('Reason').fill('Shows a third person.');
      await page.getByLabel('Basis').fill('45 CFR 164.502(b)');
      await page.getByRole('button', { name: 'Draft the redaction' }).click();
      await page.getByText('page 1: 1 regions').waitFor();
      const [draft] = (await http.get(`/v1/redactions?subject_id=${id}`)).json.items;
      const [region] = draft.pages[0].regions;
      const wanted = { x: 200, y: 100, width: 600, height: 200 };
      for (const [name, value] of Object.entries(wanted)) expect(Math.abs(region[name] - value)).toBeLessThan(6);
    });
  });

  inBrowser('hides the passage that was selected in a text, widened to whole words', async () => {
    const { http } = await filledTenant(service.operator);
    const id = await upload(http, 'The claim of Jane Roe was\ndenied on Monday.', 'text/plain', 'letter.txt');
    await inPage(http, async (page) => {
      await signIn(page, http, `/documents/${id}`);
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await page.locator('[data-text]').waitFor();
      await page.evaluate(`{
        const node = document.querySelector('[data-text]').firstChild;
        const at = node.data.indexOf('ane Roe');
        getSelection().setBaseAndExtent(node, at, node, node.data.indexOf('denied') + 3);
      }`);
      await page.getByRole('button', { name: 'Mark the selected passage' }).click();
      const passages = page.getByLabel('Passages to hide, one a line');
      expect(await passages.inputValue()).toBe('Jane Roe was denied');
      await page.getByLabel('Reason').fill('Names a third person.');
      await page.getByLabel('Basis').fill('45 CFR 164.502(b)');
      await page.getByRole('button', { name: 'Draft the redaction' }).click();
      await page.getByText('hides: Jane Roe was denied').waitFor();
    });
  });
});

describe('the graph', () => {
  inBrowser('expands, collapses, hides kinds and hubs, marks a path, and saves what it shows', async () => {
    const { http } = await filledTenant(service.operator);
    await inPage(http, async (page) => {
      await signIn(page, http, `/graph?node=member:${MEMBER}&depth=1`);
      const counted = async (): Promise<number> => {
        const heading = page.getByRole('heading', { name: /^\d+ nodes, \d+ edges$/ });
        await heading.waitFor();
        return Number.parseInt((await heading.textContent()) ?? '', 10);
      };
      const first = await counted();
      const expand = page.getByRole('button', { name: /^Expand event:/ });
      const event = (await expand.first().getAttribute('aria-label'))?.slice('Expand '.length) ?? '';
      await expand.first().click();
      await page
        .getByRole('link', { name: /^code:/ })
        .first()
        .waitFor();
      const expanded = await counted();
      expect(expanded).toBeGreaterThan(first);
      await page.getByRole('button', { name: `Collapse ${event}`, exact: true }).click();
      await page.getByRole('button', { name: `Reopen ${event}`, exact: true }).waitFor();
      expect(await counted()).toBeLessThan(expanded);
      await page.getByRole('button', { name: `Reopen ${event}`, exact: true }).click();
      await page.getByRole('checkbox', { name: 'code', exact: true }).uncheck();
      expect(await page.getByRole('link', { name: /^code:/ }).count()).toBe(0);
      const graphml = await download(page, 'Save as GraphML');
      expect(graphml).toContain(`<node id="member:${MEMBER}">`);
      expect(graphml).not.toContain('<node id="code:');
      const svg = await download(page, 'Save as SVG');
      expect([svg.match(/<circle /g)?.length, svg.startsWith('<svg ')]).toEqual([await counted(), true]);
      const parsed = `(() => { const check = (text, type) => new DOMParser().parseFromString(text, type).querySelector('parsererror') === null;
        return [check(${JSON.stringify(graphml)}, 'application/xml'), check(${JSON.stringify(svg)}, 'image/svg+xml')]; })()`;
      // The parser is a script of the test, which the policy of the page rejects: a blank page runs it.
      const blank = await page.context().newPage();
      expect(await blank.evaluate(parsed)).toEqual([true, true]);
      await blank.close();
      await page.getByLabel('To the node').fill(event);
      await page.getByRole('button', { name: 'Find', exact: true }).click();
      await page.getByText(`member:${MEMBER} → ${event}`).waitFor();
      expect(new URL(page.url()).searchParams.get('hide')).toBe('code');
    });
  });
});

describe('a saved view', () => {
  inBrowser('keeps the filters of a screen, opens for a colleague when shared, and is deleted', async () => {
    const { http, tenantId } = await filledTenant(service.operator, ['events:read']);
    const key = await service.operator.post('/v1/api-keys', {
      tenant_id: tenantId,
      name: 'colleague',
      scopes: ['events:read'],
    });
    const colleague = service.operator.as(key.json.api_key);
    await inPage(http, async (page) => {
      await signIn(page, http, '/events?outcome=DENIED');
      await page.getByLabel('Name of the view').fill('Denials');
      await page.getByLabel('Share with my organization').check();
      await page.getByRole('button', { name: 'Save this view' }).click();
      await page.getByRole('link', { name: 'Denials', exact: true }).waitFor();
    });
    await inPage(colleague, async (page) => {
      await signIn(page, colleague, '/events');
      await page.getByRole('link', { name: 'Denials', exact: true }).click();
      expect(new URL(page.url()).search).toBe('?outcome=DENIED');
      expect(await page.getByRole('button', { name: 'Delete the view Denials' }).count()).toBe(0);
    });
    await inPage(http, async (page) => {
      await signIn(page, http, '/events');
      await page.getByRole('button', { name: 'Delete the view Denials' }).click();
      await page.getByRole('link', { name: 'Denials', exact: true }).waitFor({ state: 'detached' });
      await visit(page, http, '/events');
      expect((await http.get('/v1/saved-views')).json.items).toEqual([]);
    });
  });
});
