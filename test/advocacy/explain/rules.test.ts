import { describe, expect, it } from '@jest/globals';
import { preferredLanguage } from '../../../rest-facade/preferred-language.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import { gradeOfEase, readingGrade } from '../../../shared/text/reading-grade.js';
import { spanishSyllables } from '../../../shared/text/spanish-syllables.js';
import { dayAfter, isDay } from '../../../subgraphs/advocacy/explain/domain/calendar.js';
import { quoted } from '../../../subgraphs/advocacy/explain/domain/quote.js';
import { eventCodes } from '../../../subgraphs/advocacy/facts/domain/event-codes.js';
import { eventOf, explained, wordsOf } from './explain-kit.js';

const REVIEW = { event_family: 'prior_authorization', event_type: 'authorization_decided' };
const COUNTER = { event_family: 'pharmacy', event_type: 'claim_adjudicated' };

describe('time to appeal', () => {
  const rights = (payload: JsonObject, over: Parameters<typeof eventOf>[1] = {}) =>
    explained(eventOf({ carc: ['50'], ...payload }, over)).appeal_rights;
  const on = (day: string) => ({ effective_at: `${day}T12:00:00.000Z` });

  it.each([
    ['MEDICARE_ADVANTAGE', '2026-06-01', '2026-08-05', '65 days since 2025 (42 CFR 422.582(b))'],
    ['Medicare Advantage', '2025-01-01', '2025-03-07', '65 days from the first day of 2025'],
    ['MEDICARE_ADVANTAGE', '2024-12-31', '2025-03-01', '60 days until 2024'],
    ['MEDICARE_ORIGINAL', '2026-06-01', '2026-09-29', '120 days (42 CFR 405.942)'],
    ['Medicaid', '2026-06-01', '2026-07-31', '60 days (42 CFR 438.402(c)(2))'],
    ['Commercial', '2026-06-01', '2026-11-28', '180 days (45 CFR 147.136)'],
    ['ERISA', '2026-06-01', '2026-11-28', '180 days (29 CFR 2560.503-1(h))'],
    ['FEHB', '2026-08-31', '2027-02-28', 'six months (5 CFR 890.105), to the last day of a shorter month'],
    ['TRICARE', '2026-06-01', '2026-08-30', '90 days (32 CFR 199.10)'],
  ])('%s, notice of %s: %s, for it is %s', (program, day, deadline) => {
    expect(rights({ program }, on(day)).first_deadline).toBe(deadline);
  });

  it.each([
    ['16', ['MEDICARE_ADVANTAGE']],
    ['MA', ['MEDICARE_ORIGINAL']],
    ['MB', ['MEDICARE_ORIGINAL']],
    [null, ['MEDICARE_ADVANTAGE', 'MEDICARE_ORIGINAL']],
  ])('Medicare with the code %s is %j', (program_code, programs) => {
    const told = rights({ program: 'Medicare', ...(program_code === null ? {} : { program_code }) });
    expect(told.programs).toEqual(programs);
    expect(told.text.includes('which of these you have')).toBe(programs.length > 1);
  });

  it('detects a federal employee’s plan by its code and applies its rules', () => {
    expect(rights({ program: 'Commercial', program_code: 'FI' }).programs).toEqual(['FEDERAL_EMPLOYEES']);
  });

  it.each([{}, { program: 'Other' }, { program: 'Unknown' }])('of %j no programme and no day is guessed', (payload) => {
    const told = rights(payload as JsonObject);
    expect([told.programs, told.steps, told.first_deadline]).toEqual([[], [], null]);
    expect(told.text).toContain('does not say what kind of plan you have');
  });

  it.each([
    [{ program: 'WorkersComp' }, '2026-06-01'],
    [{ program: 'VA' }, '2026-06-01'],
    [{ program: 'MEDICARE_ADVANTAGE' }, '2002-03-14'],
  ])('states that there is no data for %j on %s', (payload, day) => {
    const told = rights(payload, on(day));
    expect([told.steps, told.first_deadline]).toEqual([[], null]);
    expect(told.text).toContain('no steps on file');
  });

  it('applies the longer time of a state', () => {
    const [, california] = rights({ program: 'Commercial', jurisdiction: 'US-CA' }).steps;
    const [, ohio] = rights({ program: 'Commercial', jurisdiction: 'US-OH' }).steps;
    expect(california?.text).toContain('6 months');
    expect(ohio?.text).toContain('4 months');
  });

  it('offers a fast answer and continued care only for future care', () => {
    const [review] = rights({ program: 'MEDICAID_MANAGED_CARE' }, REVIEW).steps;
    expect(review).toMatchObject({ expedited_hours: 72, text: expect.stringContaining('within 10 days') });
    const [bill] = rights({ program: 'MEDICAID_MANAGED_CARE' }).steps;
    expect(bill?.expedited_hours).toBeUndefined();
    expect(bill?.text).not.toContain('fast answer');
  });

  it('starts no time limit for a rejection at the counter', () => {
    const told = rights({ program: 'Medicare', reject_codes: ['75'] }, COUNTER);
    expect(told.programs).toEqual(['MEDICARE_PART_D']);
    expect(told.first_deadline).toBeNull();
    expect(told.text).toContain('not yet a letter from the plan');
    expect(told.steps[0]).toMatchObject({ counted_from: 'ANY_TIME', expedited_hours: 24 });
  });

  it.each([
    [{ notice_date: '2026-05-20' }, {}, '2026-05-20', 'NOTICE'],
    [{ issued: '2026-05-21' }, REVIEW, '2026-05-21', 'ISSUED'],
    [{ notice_date: '2026-02-30' }, {}, '2026-06-01', 'PAYMENT'],
    [{ timestamp_basis: 'received' }, {}, '2026-06-01', 'RECEIVED'],
    [{}, REVIEW, '2026-06-01', 'EVENT'],
    [{}, { effective_at: null }, null, 'NONE'],
  ])('returns the source of the notice date for %j', (payload, over, day, basis) => {
    const told = rights({ program: 'Commercial', ...(payload as JsonObject) }, over);
    expect([told.notice_date, told.notice_date_basis]).toEqual([day, basis]);
    expect(told.first_deadline).toBe(day === null ? null : dayAfter(day, { days: 180 }));
  });

  it.each([
    ['approved', false],
    ['paid', false],
    ['submitted', false],
    ['rejected', false],
    ['scheduled', false],
    ['DENIED', true],
    ['applied_to_member', true],
    ['reversed', null],
    ['upheld', null],
    [null, null],
  ])('returns for the outcome %s whether an appeal applies: %s', (outcome, applies) => {
    expect(rights({ program: 'Commercial', carc: ['45'] }, { outcome }).applies).toBe(applies);
  });

  it.each<[string, string, JsonObject, boolean]>([
    ['not needed, on one line', 'paid', { adjustments: [{ group: 'CO', reason: '50', amount: '80.00' }] }, true],
    ['no prior approval', 'paid', { adjustments: [{ group: 'CO', reason: '197', amount: '80.00' }] }, true],
    ['not covered, the member’s', 'paid', { adjustments: [{ group: 'PR', reason: '96', amount: '80.00' }] }, true],
    ['a denial in words of the code alone', 'paid', { carc: ['A1'] }, true],
    ['some of the units', 'approved', { carc: ['151'] }, true],
    ['the contract’s price', 'paid', { adjustments: [{ group: 'CO', reason: '45', amount: '80.00' }] }, false],
    ['the deductible', 'paid', { adjustments: [{ group: 'PR', reason: '1', amount: '80.00' }] }, false],
    ['a reason with no amount', 'paid', { adjustments: [{ group: 'CO', reason: '50', amount: '0.00' }] }, false],
    ['a correction', 'paid', { adjustments: [{ group: 'CR', reason: '50', amount: '80.00' }] }, false],
    ['a code that nobody knows', 'paid', { carc: ['9999'] }, false],
  ])('returns an appeal for %s within %s: %#', (_what, outcome, payload, applies) => {
    const answer = explained(eventOf({ program: 'Commercial', ...payload }, { outcome }));
    expect(answer.appeal_rights.applies).toBe(applies);
    expect(answer.appeal_rights.steps.length > 0).toBe(applies);
    expect(/part/.test(answer.summary)).toBe(applies);
  });
});

describe('reasons', () => {
  const STATUSES = {
    statuses: [{ codes: [{ category: 'F2', code: '88' }] }],
    lines: [
      {
        statuses: [
          {
            codes: [
              { category: 'F2', code: '88' },
              { category: 'F2', code: '21' },
            ],
          },
        ],
      },
    ],
  };

  it('uses status codes as reasons of rejected claims only', () => {
    const report = { event_family: 'claim', event_type: 'claim_status_reported' };
    const { reasons, summary } = explained(eventOf(STATUSES, report));
    expect(reasons.map(({ code_system, code }) => `${code_system} ${code}`)).toEqual(['X12-508 88', 'X12-508 21']);
    expect(summary).toContain('The record gives 2 reasons. We do not know 2 of the codes.');
    expect(explained(eventOf(STATUSES, { ...report, outcome: 'paid' })).reasons).toEqual([]);
  });

  it('does not call a single unknown code one of several', () => {
    expect(explained(eventOf({ carc: ['9999'] })).summary).toContain('The record gives one reason. We do not know its');
  });

  it('points to appeal steps only if the answer has them', () => {
    const paid = explained(eventOf({ rarc: ['MA02'], program: 'Medicare', program_code: 'MB' }, { outcome: 'paid' }));
    expect(paid.appeal_rights.steps).toEqual([]);
    expect(paid.reasons[0]?.what_to_do).toContain('your letter tells how');
    const denied = explained(eventOf({ rarc: ['MA02'], program: 'Medicare', program_code: 'MB' }));
    expect(denied.reasons[0]?.what_to_do).toContain('you can use the steps to appeal');
  });

  it('states that an unknown code is unknown, in every list', () => {
    const { reasons, summary } = explained(eventOf({ carc: ['9999'], rarc: ['ZZZZ'], reject_codes: ['XQ'] }));
    expect(reasons.map(({ meaning }) => meaning)).toEqual(Array(3).fill('We do not know this code.'));
    expect(reasons.every(({ deadline }) => deadline === undefined)).toBe(true);
    expect(summary).toContain('We do not know 3 of the codes.');
  });

  it('does not read HCR03 codes since 005010 by the old table', () => {
    const raw = { format: 'x12', version: '005010X217' };
    const [reason] = explained(eventOf({ decision_reason: ['82'], raw }, REVIEW)).reasons;
    expect(reason).toMatchObject({ code_system: 'X12-886', meaning: 'We do not know this code.' });
  });

  it('reads codes in every notation, once for each group, with summed amounts', () => {
    const { reasons } = eventCodes({
      payload: {
        carc: ['50', 'CO-45', 'co 97', '45'],
        adjustments: [
          { group: 'CO', reason: '50', amount: '10.50' },
          { group: 'CO', reason: '50', amount: '2.25' },
          { group: 'PR', reason: '50', amount: '1.00' },
          { reason: 'PR-3', amount: -4 },
        ],
      },
    });
    expect(reasons.map(({ code, group, cents }) => [code, group, cents])).toEqual([
      ['50', 'CO', 1275],
      ['50', 'PR', 100],
      ['3', 'PR', -400],
      ['45', 'CO', null],
      ['97', 'CO', null],
      ['45', null, null],
    ]);
  });

  it.each([null, 7, 'text', [], { carc: { a: 1 }, adjustments: 'x', lines: [null, 1], rejections: [[]], amounts: [] }])(
    'returns no codes for a payload of another shape (%j)',
    (payload) => {
      expect(eventCodes({ payload: payload as JsonObject }).reasons).toEqual([]);
      expect(explained(eventOf(isJsonObject(payload) ? payload : {})).reasons).toEqual([]);
    },
  );

  it('shows the first codes and states that there are more', () => {
    const carc = Array.from({ length: 400 }, (_, i) => String(i + 1));
    const { reasons, summary } = explained(eventOf({ carc }));
    expect(reasons.length).toBe(50);
    expect(summary).toContain('The record gives 400 reasons. We show the first 50.');
  });

  it('adapts the advice to who owes the amount', () => {
    const told = (group: string) =>
      explained(eventOf({ adjustments: [{ group, reason: '2', amount: '9.00' }] })).reasons[0];
    expect(told('PR')?.what_to_do).toContain('it is yours to pay');
    expect(told('CO')?.what_to_do).toContain('nothing you need to do');
    expect(told('CO')?.why_it_happened).toContain('may not bill you');
  });

  it('answers a denial without codes and a scheduled visit', () => {
    expect(explained(eventOf({})).summary).toContain('gives no reason code');
    const visit = explained(eventOf({}, { event_family: 'appointment', event_type: 'booked', outcome: 'scheduled' }));
    expect(visit.summary).toBe("This record is not a plan's answer to a claim or a request.");
    expect(visit.appeal_rights.text).toContain('not an answer that you can appeal');
  });

  it("does not quote a claim's note as the plan's text", () => {
    const claim = { event_family: 'claim', event_type: 'claim_submitted', outcome: 'submitted' };
    expect(explained(eventOf({ rationale: 'call me' }, claim)).reasons).toEqual([]);
  });
});

describe('amounts', () => {
  it('state whether the event balances, and the difference', () => {
    const of = (paid: string) =>
      explained(
        eventOf({ adjustments: [{ group: 'PR', reason: '1', amount: '40.00' }], amounts: { charge: '100.00', paid } }),
      );
    expect(of('60.00').amounts).toMatchObject({ member_owes: '40.00', unexplained: '0.00' });
    expect(of('50.00').summary).toContain('what happened to $10.00 of the bill');
    expect(of('70.01').summary).toContain('They are $10.01 apart');
  });

  it('come from FHIR totals, else from the lines', () => {
    const of = (amounts: JsonObject, lines: JsonObject[] = []) =>
      explained(eventOf({ amounts: { charge: '410.00', paid: '350.00', ...amounts }, lines }, { outcome: 'paid' }));
    expect(of({ totals: { discount: '60.00' } }).amounts).toMatchObject({ not_owed: '60.00', unexplained: '0.00' });
    const shared = of({ totals: { deductible: '20.00', coinsurance: '30.00', noncovered: '10.00' } });
    expect(shared.amounts).toMatchObject({ member_owes: '50.00', ungrouped: '10.00', unexplained: '0.00' });
    expect(shared.summary).toContain('You may owe $50.00.');
    // The member's liability holds the copay.
    const liable = of({ totals: { memberliability: '60.00', copay: '20.00' } });
    expect(liable.amounts).toMatchObject({ member_owes: '60.00', unexplained: '0.00' });
    const lines = [{ amounts: { copay: '10.00' } }, { amounts: { copay: '15.00' } }];
    expect(of({ totals: { benefit: '350.00' } }, lines).amounts).toMatchObject({
      member_owes: '25.00',
      unexplained: '35.00',
    });
    // The amount of an adjustment is the payer’s own figure, and counts alone.
    const adjusted = { totals: { discount: '60.00' }, charge: '410.00', paid: '350.00' };
    const adjustments = [{ group: 'CO', reason: '45', amount: '60.00' }];
    expect(explained(eventOf({ amounts: adjusted, adjustments })).amounts).toMatchObject({
      not_owed: '60.00',
      unexplained: '0.00',
    });
  });

  it('never say that nothing is left to do if the member owes money or the bill does not balance', () => {
    const of = (amounts: JsonObject) => explained(eventOf({ amounts }, { outcome: 'paid' })).summary;
    expect(of({ charge: '10.00', paid: '10.00' })).toContain('nothing you need to do');
    expect(of({ charge: '10.00', paid: '8.00' })).not.toContain('nothing you need to do');
    expect(of({ charge: '10.00', paid: '8.00', member_share: '2.00' })).not.toContain('nothing you need to do');
  });

  it("include a pharmacy's share, thousands and another currency", () => {
    const paid = explained(
      eventOf({ amounts: { patient_pay: '1234.50', total_paid: '55.70' } }, { ...COUNTER, outcome: 'paid' }),
    );
    expect(paid.summary).toContain('The plan paid $55.70. You may owe $1,234.50.');
    const abroad = explained(eventOf({ amounts: { charge: '20.00', paid: '20.00' }, payment: { currency: 'EUR' } }));
    expect(abroad.summary).toContain('EUR 20.00');
  });
});

describe('quoted', () => {
  it.each([
    ['<script>alert(1)</script>', '“‹script›alert(1)‹/script›”'],
    ['[pay](javascript:x) ![i](u)', '“(pay)(javascript:x) !(i)(u)”'],
    ['a\u0000b\u202ec\r\n  d', '“a b c d”'],
    ['he said “no” & `left`', '“he said "no" + \'left\'”'],
    ['# **Bold** _x_ |', '“··Bold·· x /”'],
  ])('removes markup from %j', (text, safe) => {
    expect(quoted(text)).toBe(safe);
  });

  it('cuts a long text; its words do not count in the reading grade', () => {
    const rationale = `${'Notwithstanding the aforementioned contraindications '.repeat(400)}”`;
    const answer = explained(eventOf({ rationale }));
    expect(wordsOf(answer).every((text) => text.length < 1_200)).toBe(true);
    expect(answer.reading_grade).toBeLessThanOrEqual(8);
  });
});

describe('measures', () => {
  it.each([
    ['prohibir', 3],
    ['aéreo', 4],
    ['país', 2],
    ['guía', 2],
    ['guerra', 2],
    ['que', 1],
    ['pingüino', 3],
    ['ley', 1],
    ['cuidado', 3],
    ['apelación', 4],
    ['médico', 3],
    ['hm', 1],
  ])('count %i syllables', (word, syllables) => {
    expect(spanishSyllables(word)).toBe(syllables);
  });

  it('give hard words a higher grade in both languages, and no grade to no words', () => {
    const hard =
      'Reimbursement determinations necessitate comprehensive substantiating documentation from participating practitioners.';
    const difficult =
      'Las determinaciones administrativas necesitan documentación exhaustiva, proporcionada oportunamente por profesionales participantes.';
    expect(readingGrade([hard], 'en')).toBeGreaterThan(12);
    expect(readingGrade([difficult], 'es')).toBeGreaterThan(12);
    expect(readingGrade(['The plan said no. You can ask why.'], 'en')).toBeLessThan(3);
    expect(readingGrade(['$10.00'], 'en')).toBe(0);
    expect([105, 95, 85, 70, 15].map(gradeOfEase)).toEqual([4, 5, 6, 7.75, 17]);
  });

  it('accept existing days only', () => {
    expect(['2024-02-29', '2025-02-29', '2026-1-01', 'x'].map(isDay)).toEqual([true, false, false, false]);
    expect(dayAfter('2024-10-31', { months: 4 })).toBe('2025-02-28');
    expect(dayAfter('2023-12-31', { days: 60 })).toBe('2024-02-29');
  });

  it.each([
    ['es-MX,es;q=0.9', 'es'],
    ['en;q=0.1, es;q=0.5', 'es'],
    ['fr, *;q=0.1', 'en'],
    ['es;q=0, de', null],
    [undefined, null],
    [';;;,q=', null],
  ])('read Accept-Language %s as %s', (header, language) => {
    expect(preferredLanguage(header, ['en', 'es'])).toBe(language);
  });
});

it('the same event gives the same answer, whatever was explained before', () => {
  const event = eventOf({ carc: ['50', '197'], program: 'Commercial', rationale: 'Not shown.' });
  const first = JSON.stringify(explained(event));
  explained(eventOf({ carc: ['1'] }), 'es');
  expect(JSON.stringify(explained(event))).toBe(first);
});
