import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { BROWSER_PATH } from '../support/browser.js';
import { itUnless, lackOf } from '../support/needs.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { inPage, menu, signIn, visit } from './console-kit.js';
import { CLAIMS, DENIAL, filledTenant, MEMBER } from './samples.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.stop());

const inBrowser = itUnless(lackOf(BROWSER_PATH, 'chromium'));

describe('an appeals clerk', () => {
  inBrowser('finds a denial, reads why, checks the guideline, proves the event and saves the letter', async () => {
    const { http } = await filledTenant(service.operator, [
      'events:read',
      'members:read',
      'search:read',
      'custody:read',
    ]);
    await inPage(http, async (page) => {
      await signIn(page, http, '/members');
      await page.keyboard.press('Control+k');
      await page.keyboard.type(MEMBER);
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: `Timeline of the identifier ${MEMBER}` }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('link', { name: 'prior_auth.denied' }).first().click();
      await page.getByRole('heading', { name: 'In plain words' }).waitFor();
      await page.getByRole('heading', { name: /CARC 50/ }).waitFor();
      await page.getByRole('button', { name: 'Español' }).click();
      await page.getByRole('heading', { name: 'Derecho a apelar' }).waitFor();
      await page.getByRole('button', { name: 'English' }).click();
      await page.getByRole('button', { name: 'Check the guideline and draft an appeal' }).click();
      await page.getByRole('heading', { name: 'Guideline check' }).waitFor();
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save the letter as PDF' }).click();
      expect((await downloading).suggestedFilename()).toMatch(/^appeal-evt_.*\.pdf$/);
    });
  });

  inBrowser('proves an event in the browser, and sees the step that a changed answer breaks', async () => {
    const { http, denialId } = await filledTenant(service.operator, ['events:read']);
    await inPage(http, async (page) => {
      await signIn(page, http, `/events/${denialId}`);
      await page.getByRole('button', { name: 'Prove it' }).click();
      await page.getByText('Proven: every step that was recomputed holds.').waitFor();
      const steps = await page
        .locator('[data-step]')
        .evaluateAll((found) =>
          found.map((step) => `${step.getAttribute('data-step')} ${step.getAttribute('data-holds')}`),
        );
      expect(steps).toEqual([
        'record null',
        'commit true',
        'fields true',
        'header true',
        'tree true',
        'checkpoint true',
        'signature true',
        'anchors null',
      ]);
      // A service that lies about one letter of the record.
      await page.route('**/opening', async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, body: (await answer.text()).replace('DENIED', 'DENIES') });
      });
      await visit(page, http, `/events/${denialId}`);
      await page.getByRole('button', { name: 'Prove it' }).click();
      await page.getByText('Not proven: a step failed.').waitFor();
      expect(await page.locator('[data-step="commit"]').getAttribute('data-holds')).toBe('false');
      expect(await page.locator('[data-step="fields"]').getAttribute('data-holds')).toBe('false');
    });
  });
});

describe('a lawyer', () => {
  inBrowser('previews and places a hold, requests a bundle, watches it seal, verifies and downloads it', async () => {
    const scopes = [
      'events:read',
      'holds:write',
      'matters:write',
      'bundles:request',
      'bundles:read',
      'bundles:export',
      'custody:read',
    ];
    const { http } = await filledTenant(service.operator, [...scopes, 'holds:read', 'matters:read']);
    await inPage(http, async (page) => {
      await signIn(page, http, '/matters');
      await page.getByLabel('Name of the hold').fill('Doe v. Acme');
      await page.getByLabel('Members under the hold').fill(MEMBER);
      await page.getByLabel('Reason of the hold').fill('Complaint served.');
      await page.getByRole('button', { name: 'Show what it would cover' }).click();
      await page.getByText(/It would cover \d+ events today/).waitFor();
      await page.getByRole('button', { name: 'Place the hold' }).click();
      await page.getByRole('heading', { name: 'Doe v. Acme' }).waitFor();
      await page.getByLabel('Custodian', { exact: true }).fill('Jane Roe, Claims');
      await page.getByLabel('Text of the notice').fill('Keep all records about this member.');
      await page.getByRole('button', { name: 'Record the notice' }).click();
      await page.getByLabel('How acknowledged').fill('E-mail of 3 March 2026');
      await page.getByRole('button', { name: 'Acknowledged' }).click();
      await page.getByRole('cell', { name: 'ACKNOWLEDGED' }).waitFor();
      await menu(page, 'Bundles');
      await page.getByLabel('Identifier').fill(MEMBER);
      await page.getByText(/\d+ events name this member/).waitFor();
      await page.getByRole('button', { name: 'Request', exact: true }).click();
      await page.getByText('SEALED').waitFor({ timeout: 120_000 });
      await page.getByRole('button', { name: 'Verify the stored copy' }).click();
      await page.locator('p.note[role=status]').waitFor();
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download (recorded in custody)' }).click();
      expect((await downloading).suggestedFilename()).toMatch(/^bdl_.*\.zip$/);
      await page.getByLabel('Recipient of the link').fill('Roe & Partners LLP');
      await page.getByLabel('Purpose of the link').fill('Discovery');
      await page.getByRole('button', { name: 'Make a link (recorded in custody)' }).click();
      const address = await page.locator('[data-link] code').textContent();
      expect((await fetch(address ?? '')).status).toBe(200);
      await page.reload();
      expect(await page.locator('[data-link]').count()).toBe(0);
      await page.getByRole('cell', { name: 'DOWNLOAD_BUNDLE' }).first().waitFor();
      await page
        .getByRole('row', { name: /Roe & Partners LLP/ })
        .getByRole('button', { name: 'Revoke' })
        .click();
      await page.getByRole('cell', { name: 'REVOKED' }).waitFor();
      expect((await fetch(address ?? '')).status).toBe(404);
    });
  });
});

describe('an analyst', () => {
  inBrowser(
    'walks the graph from a member, shares the view by its address, and asks the graph a question',
    async () => {
      const { http } = await filledTenant(service.operator, ['graph:read', 'graph:query', 'events:read']);
      await inPage(http, async (page) => {
        await signIn(page, http, `/graph?node=member:${MEMBER}`);
        await page.getByRole('heading', { name: /[1-9]\d* nodes, \d+ edges/ }).waitFor();
        await page
          .getByRole('link', { name: /^code:/ })
          .first()
          .click();
        expect(new URL(page.url()).search).toMatch(/node=code/);
        await page.goBack();
        expect(new URL(page.url()).search).toBe(`?node=member:${MEMBER}`);
        await menu(page, 'Query');
        await page.getByRole('button', { name: 'Ask', exact: true }).click();
        await page.locator('[data-answer]').getByText('event_id').first().waitFor();
      });
    },
  );
});

describe('an operator of a tenant', () => {
  inBrowser(
    'assigns an exception, resolves it, replays the delivery of a webhook, and verifies the ledger',
    async () => {
      const { http } = await filledTenant(service.operator, ['admin']);
      const broken = { method: 'POST', headers: { 'content-type': 'application/edi-x12' }, body: 'ISA*broken' };
      await http.call('/v1/ingest/raw?source_system=bad', broken);
      await inPage(http, async (page) => {
        await signIn(page, http, '/exceptions');
        await page.getByRole('checkbox').first().check();
        await page.getByRole('button', { name: 'Assign (1)' }).click();
        await page.getByLabel('Assign the chosen ones to').fill('j.doe');
        await page.keyboard.press('Enter');
        await page.getByText('1 done, 0 refused.').waitFor();
        await page.getByLabel('Status').selectOption('ASSIGNED');
        await page.getByRole('link', { name: /_/ }).first().click();
        await page.getByLabel('Note').fill('Sent again.');
        await page.getByRole('button', { name: 'Resolve', exact: true }).click();
        await page.getByText('RESOLVED').first().waitFor();
        await menu(page, 'Webhooks');
        await page.getByLabel('Receiver').fill('https://receiver.invalid/hook');
        await page.getByRole('button', { name: 'Create the webhook' }).click();
        await page.getByText('Secret, shown once:').waitFor();
        await page.getByRole('link', { name: 'https://receiver.invalid/hook' }).click();
        await page.getByRole('button', { name: 'Send a test message' }).click();
        const tests = page.getByRole('cell', { name: 'TEST', exact: true });
        await tests.waitFor();
        // An event of the steps before may be delivered too.
        const row = page.getByRole('row').filter({ has: tests });
        await row.getByRole('button', { name: 'Replay' }).click();
        // The replay of a test message is a test too.
        await tests.nth(1).waitFor();
        expect(await tests.count()).toBe(2);
        await menu(page, 'Home');
        // The first checkpoint of a new tenant may still be on its way: until then the signer has no note.
        for (let signed = 0; signed === 0; ) {
          const verified = page.waitForResponse(/\/v1\/ledger\/verify/);
          await page.getByRole('button', { name: 'Verify the ledger now' }).click();
          await verified;
          // The service of the test has no witness.
          await page.locator('[data-verdict="VALID_UNANCHORED"]').waitFor();
          signed = await page.getByText(/SIGNER: \d+ entries/).count();
        }
      });
    },
  );
});

describe('an integrator', () => {
  inBrowser('validates and sends an event, and drops a file of claims and sees what became of it', async () => {
    const { http } = await filledTenant(service.operator, ['events:read', 'events:write']);
    await inPage(http, async (page) => {
      await signIn(page, http, '/ingest');
      await page.setInputFiles('#ingest-file', DENIAL);
      await page.getByRole('button', { name: 'Validate' }).click();
      await page.getByText('Valid: it would become one event.').waitFor();
      await page.setInputFiles('#ingest-file', CLAIMS);
      await page.getByLabel('Source system').fill('dropped');
      await page.getByRole('button', { name: 'Validate' }).click();
      await page.getByText('x12: 3 would be events, 0 would be rejected.').waitFor();
      expect((await http.get('/v1/events?source_system=dropped')).json.items).toEqual([]);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByRole('heading', { name: 'What became of the message' }).waitFor();
      await page.getByRole('cell', { name: 'ACCEPTED' }).first().waitFor();
      await page.getByRole('heading', { name: 'Acknowledgement' }).waitFor();
    });
  });
});
