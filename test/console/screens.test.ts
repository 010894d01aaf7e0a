import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { BROWSER_PATH } from '../support/browser.js';
import { itUnless, lackOf } from '../support/needs.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { inPage, signIn, violationsIn, visit } from './console-kit.js';
import { type Filled, filledTenant, MEMBER } from './samples.js';

/** A folder for a picture of every screen; none are taken without it. */
const SHOTS = process.env['CONSOLE_SHOTS'];

let service: WholeService;
let filled: Filled;
let places: readonly (readonly [name: string, place: string])[];
beforeAll(async () => {
  service = await startWholeService();
  filled = await filledTenant(service.operator);
  places = await placesOf(filled);
});
afterAll(() => service.stop());

const inBrowser = itUnless(lackOf(BROWSER_PATH, 'chromium'));

/** Every screen with something to show on it. */
async function placesOf({ http, denialId }: Filled): Promise<readonly (readonly [string, string])[]> {
  const made = async (path: string, body: object): Promise<Record<string, string>> =>
    (await http.post(path, body)).json;
  const bundle = await made('/v1/bundles', { scope: { member_id: MEMBER } });
  const matter = await made('/v1/legal-matters', { name: 'Doe v. Acme', kind: 'LITIGATION', member_ids: [MEMBER] });
  const hold = await made('/v1/legal-holds', {
    name: 'Hold',
    scope: { member_ids: [MEMBER] },
    reason: 'Complaint served.',
  });
  const webhook = await made('/v1/webhooks', { url: 'https://receiver.invalid/hook', event_types: ['bundle.*'] });
  const rule = await made('/v1/rules', {
    key: 'acme-echo',
    title: 'Echocardiography in heart failure',
    kind: 'POLICY',
    effective_from: '2020-01-01',
    codes: ['ICD10CM/I50.9'],
    criteria: [
      { id: 'denied', text: 'The request was denied.', logic: { '==': [{ var: 'event.outcome' }, 'denied'] } },
      { id: 'visit', text: 'A separate visit.', logic: { '==': [{ var: 'findings.separate_visit' }, true] } },
    ],
  });
  const form = new FormData();
  form.append('file', new Blob(['The claim was denied.'], { type: 'text/plain' }), 'letter.txt');
  const upload = { method: 'POST', headers: { 'x-api-key': http.key ?? '' }, body: form };
  const document = JSON.parse(await (await fetch(`${http.url}/v1/documents`, upload)).text());
  const broken = await http.call('/v1/ingest/raw?source_system=bad', {
    method: 'POST',
    body: 'ISA*broken',
    headers: { 'content-type': 'application/edi-x12' },
  });
  const [exception] = (await http.get('/v1/exceptions')).json.items;
  expect([broken.status < 500, exception?.exception_id]).toEqual([true, expect.stringMatching(/^exc_/)]);
  const [ingest] = (await http.get('/v1/events?source_system=claims-gateway&limit=1')).json.items;
  return [
    ['home', '/'],
    ['search', `/search?q=${MEMBER}`],
    ['events', '/events'],
    ['event', `/events/${denialId}`],
    ['claim', `/events/${ingest.event_id}`],
    ['members', '/members'],
    ['member', `/members/${MEMBER}`],
    ['graph', `/graph?node=member:${MEMBER}`],
    ['matters', '/matters'],
    ['matter', `/matters/${matter['matter_id']}`],
    ['hold', `/holds/${hold['hold_id']}`],
    ['bundles', '/bundles'],
    ['bundle', `/bundles/${bundle['bundle_id']}`],
    ['documents', '/documents'],
    ['document', `/documents/${document.document_id}`],
    ['exceptions', '/exceptions'],
    ['exception', `/exceptions/${exception.exception_id}`],
    ['ingest', '/ingest'],
    ['ai', '/ai'],
    ['rules', '/rules'],
    ['rule', `/rules/${rule['rule_id']}`],
    ['webhooks', '/webhooks'],
    ['webhook', `/webhooks/${webhook['webhook_id']}`],
    ['custody', '/custody'],
    ['admin', '/admin'],
    ['query', '/query'],
    ['missing', '/nothing-here'],
  ];
}

/** Faults of the screen in view. */
async function flawsOf(page: Page): Promise<{ violations: string[]; alerts: string[]; tooWide: unknown }> {
  return {
    violations: await violationsIn(page),
    alerts: await page.getByRole('alert').allInnerTexts(),
    tooWide: await page.evaluate('document.documentElement.scrollWidth > innerWidth'),
  };
}

const FLAWLESS = { violations: [], alerts: [], tooWide: false };

describe('every screen', () => {
  inBrowser(
    'has no accessibility violation that axe finds, shows no error and fits its page: wide, dark, in English',
    async () => {
      await inPage(filled.http, async (page) => {
        await page.setViewportSize({ width: 1280, height: 844 });
        await page.goto(`${filled.http.url}/console`);
        await page.getByLabel('API key').waitFor();
        await page.getByRole('button', { name: 'Dark' }).click();
        expect(await flawsOf(page)).toEqual(FLAWLESS);
        await signIn(page, filled.http, `/members/${MEMBER}`);
        expect(await flawsOf(page)).toEqual(FLAWLESS);
        await page.getByRole('button', { name: 'Continue' }).click();
        for (const [name, place] of places) {
          await visit(page, filled.http, place);
          expect({ name, ...(await flawsOf(page)) }).toEqual({ name, ...FLAWLESS });
        }
      });
    },
    900_000,
  );

  inBrowser(
    'has no accessibility violation that axe finds, shows no error and fits its page: narrow, light, in Spanish',
    async () => {
      await inPage(filled.http, async (page) => {
        await page.setViewportSize({ width: 390, height: 844 });
        await signIn(page, filled.http, `/members/${MEMBER}`);
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByRole('button', { name: 'Español' }).click();
        for (const [name, place] of places) {
          await visit(page, filled.http, place, 'Cerrar sesión');
          expect({ name, ...(await flawsOf(page)) }).toEqual({ name, ...FLAWLESS });
        }
      });
    },
    900_000,
  );
});

describe('the pictures of the guide', () => {
  inBrowser(
    'are taken of every screen where a folder for them is named',
    async () => {
      if (SHOTS === undefined) return;
      await mkdir(SHOTS, { recursive: true });
      await inPage(filled.http, async (page) => {
        await page.setViewportSize({ width: 1024, height: 720 });
        const picture = (name: string): Promise<unknown> =>
          page.screenshot({ path: join(SHOTS, `${name}.jpg`), type: 'jpeg', quality: 50 });
        await page.goto(`${filled.http.url}/console`);
        await page.getByLabel('API key').waitFor();
        await picture('sign-in');
        await signIn(page, filled.http, `/members/${MEMBER}`);
        await page.getByRole('button', { name: 'Continue' }).click();
        for (const [name, place] of places.filter(([name]) => name !== 'missing')) {
          await visit(page, filled.http, place);
          await picture(name);
        }
        const [, rule = ''] = places.find(([name]) => name === 'rule') ?? [];
        await visit(page, filled.http, rule);
        await page.getByRole('button', { name: 'Try the draft' }).click();
        await page.getByText('Never got a value: visit.', { exact: false }).waitFor();
        await page.evaluate("document.querySelector('[data-verdicts]').closest('.panel').scrollIntoView()");
        await picture('rule-preview');
        await visit(page, filled.http, '/exceptions');
        await page.keyboard.press('?');
        await page.getByRole('dialog').waitFor();
        await picture('shortcuts');
        await visit(page, filled.http, `/events/${filled.denialId}`);
        await page.getByRole('button', { name: 'Prove it' }).click();
        await page.getByText('Proven: every step that was recomputed holds.').waitFor();
        await page.evaluate("document.querySelector('[data-step]').closest('.panel').scrollIntoView()");
        await picture('prove-it');
      });
    },
    900_000,
  );
});
