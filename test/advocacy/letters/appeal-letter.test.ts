import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { letterPdf } from '../../../shared/pdf/letter-pdf.js';
import { unknownCodesOf } from '../../../subgraphs/advocacy/explain/domain/explanation.js';
import { readFacts } from '../../../subgraphs/advocacy/facts/domain/read-facts.js';
import { evaluateGuideline } from '../../../subgraphs/advocacy/guideline/domain/evaluate-guideline.js';
import { appealLetter } from '../../../subgraphs/advocacy/letters/domain/appeal-letter.js';
import { NOTHING } from '../../../subgraphs/advocacy/recode/domain/suggestion.js';
import { data, explained } from '../explain/explain-kit.js';
import { guidelineOf, recordFrom } from '../record-kit.js';

const DENIED = { family: 'remittance', type: 'claim_adjudicated', outcome: 'denied', day: '2026-03-02' } as const;
const PAYLOAD: JsonObject = {
  claim_id: 'C-1',
  payer: { name: 'Acme Health' },
  program: 'MEDICARE_ADVANTAGE',
  program_code: 'MA',
  carc: ['50'],
  service: 'CPAP device',
  service_date: '2026-02-01',
  procedure_codes: ['E0601'],
  diagnosis_codes: ['G47.33'],
  patient: { birth_date: '1960-03-04' },
  findings: { sleep_test_confirms_osa: true, cpap_within_trial: true, cpap_ordered_and_taught: true },
};

function appealOf(payload: JsonObject, notes: string | null = null, outcome: string | null = 'denied') {
  const study = {
    payload: { results: [{ name: 'Apnea-hypopnea index', value: '22', unit: '/h' }] },
    day: '2026-01-20',
    family: 'clinical',
    outcome: 'recorded',
  };
  const record = recordFrom({ payload, record: [study] }, { ...DENIED, outcome });
  const guideline = evaluateGuideline(guidelineOf('NCD-240.4'), readFacts(record));
  return appealLetter({
    event: record.event,
    explanation: explained(record.event),
    guidelines: guideline ? [guideline] : [],
    findings: {
      ...NOTHING,
      suggestions: [
        {
          from: 'E0601',
          to: 'E0601-KX',
          reason: 'Every criterion is met.',
          rule_id: 'rul_x',
          confidence: 0.6,
          supported_by: [{ event_id: record.event.event_id, field: '/payload/findings', value: true }],
        },
      ],
    },
    notes,
    entryHashes: new Map([record.event, ...record.others].map(({ event_id, entry_hash }) => [event_id, entry_hash])),
    unknownCodes: unknownCodesOf(data, record.event),
  });
}

function letterOf(payload: JsonObject, notes: string | null = null) {
  const { letter, ...rest } = appealOf(payload, notes);
  if (letter === null) throw new Error('no letter was drafted');
  return { letter, ...rest };
}

describe('the letter', () => {
  it.each([
    ['paid', 'The plan said yes, so there is most often nothing to appeal.'],
    ['approved', 'The plan said yes, so there is most often nothing to appeal.'],
    ['pended', 'There is no answer to appeal yet.'],
    ['rejected', 'There is no answer to appeal yet.'],
    ['scheduled', 'This record is not an answer that you can appeal.'],
  ])('is not drafted for the outcome %s, and the answer gives the reason', (outcome, why) => {
    const { note, ...rest } = appealOf({ ...PAYLOAD, carc: ['45'] }, null, outcome);
    expect(rest).toEqual({ letter: null, deadline: null, attachments: [] });
    expect(note).toContain(`No appeal is drafted. ${why}`);
  });

  it('is drafted for a partial payment, and states an unclear outcome', () => {
    expect(appealOf(PAYLOAD, null, 'paid')).toMatchObject({ note: null, deadline: '2026-05-06' });
    const { letter, note } = appealOf(PAYLOAD, null, 'upheld');
    expect(note).toBe('The record does not state whether this was denied. The letter is for the case that it was.');
    expect(letter).toContain(note);
  });

  it('cites reasons, guideline, criteria, records and deadline (golden)', () => {
    const { letter, deadline, attachments } = letterOf(PAYLOAD, 'The first denial came without a reason.');
    expect(letter).toBe(readFileSync(repositoryFile('test/advocacy/letters/appeal-letter.md'), 'utf8'));
    // 65 days from the notice: 42 CFR 422.582(b) as of 2025.
    expect(deadline).toBe('2026-05-06');
    expect(attachments.map(({ status }) => status)).toEqual(['ON_RECORD', 'ON_RECORD', 'ON_RECORD']);
    expect(attachments.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256 ?? ''))).toBe(true);
  });

  it('claims only support of the record and names the missing documents', () => {
    const { letter, attachments } = letterOf({ ...PAYLOAD, findings: {} });
    expect(letter).not.toContain('meets every criterion');
    expect(letter).not.toContain('because the record meets');
    expect(letter).toContain('**Not on the record.** First 12 weeks as a trial');
    expect(attachments.map(({ title }) => title)).toContain(
      'To be got: a report of use and benefit from the trial of therapy',
    );
  });

  it('quotes the sender’s words and asks for the meaning of an unknown code', () => {
    const { letter } = letterOf({ ...PAYLOAD, carc: ['9999'], rationale: 'Not shown.' });
    expect(letter).toContain('- CARC 9999, which is in no available code list: please state its meaning.\n');
    expect(letter).toContain('- The record says: “Not shown.”\n');
    const { letter: part } = appealOf(PAYLOAD, null, 'PARTIALLY_PAID');
    expect(part).toContain('- Decision: partially paid\n');
  });

  it('escapes markup in texts of records and callers', () => {
    const { letter } = letterOf({ ...PAYLOAD, claim_id: '# x\n- y <b>' }, '# Heading\n[a](javascript:b) **c**\u202e');
    expect(letter).toContain('Claim or request: \\# x - y \\<b\\>');
    expect(letter).toContain('> \\# Heading\n> \\[a\\](javascript:b) \\*\\*c\\*\\*');
    expect(letter).not.toContain('\u202e');
  });
});

/** Words of a PDF, page by page. */
async function wordsOf(bytes: Uint8Array): Promise<string> {
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const task = getDocument({ data: new Uint8Array(bytes), useSystemFonts: false, verbosity: 0 });
  const document = await task.promise;
  const pages: string[] = [];
  for (let n = 1; n <= document.numPages; n++) {
    const { items } = await (await document.getPage(n)).getTextContent();
    pages.push(items.map((item) => ('str' in item ? item.str : '')).join(' '));
  }
  await task.destroy();
  return pages.join('\f').replace(/ +/g, ' ');
}

describe('the PDF of a letter', () => {
  it('has the same bytes for the same letter and its text without markup', async () => {
    const { letter } = letterOf(PAYLOAD);
    const bytes = await letterPdf(letter);
    expect(Buffer.from(await letterPdf(letter)).equals(bytes)).toBe(true);
    const words = await wordsOf(bytes);
    expect(words).toContain('Appeal of a coverage decision');
    expect(words).toContain('Acme Health');
    expect(words).not.toMatch(/\*\*|\\|# /);
  });

  it('transliterates names in other scripts and states it', async () => {
    const words = await wordsOf(await letterPdf('Member: Müller 张伟 Ελένη محمد 🙂\n'));
    expect(words).toContain('Müller');
    expect(words).toContain('Zhang');
    expect(words).toContain('Eleni');
    expect(words).toContain('were written in Latin ones');
    expect(await wordsOf(await letterPdf('Member: Müller\n'))).not.toContain('Latin');
  });

  it('has as many pages as the text needs', async () => {
    const long = `${'word '.repeat(1_500)}\n\n${'x'.repeat(3_000)}\n\n> quote\n\n---\n`;
    const words = await wordsOf(await letterPdf(long));
    expect(words.split('\f').length).toBeGreaterThan(2);
    expect(words.match(/word/g)).toHaveLength(1_500);
    expect((await letterPdf('')).length).toBeGreaterThan(0);
  });
});
