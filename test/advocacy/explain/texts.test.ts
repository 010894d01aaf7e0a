import { describe, expect, it } from '@jest/globals';
import { readingGrade } from '../../../shared/text/reading-grade.js';
import { LANGUAGES, type Language } from '../../../subgraphs/advocacy/explain/domain/sentences.js';
import { eventCodes, type ReasonSystem } from '../../../subgraphs/advocacy/facts/domain/event-codes.js';
import { data, eventOf, explained, wordsOf } from './explain-kit.js';

// Every code of every table, as a member reads it.

/** Where a payload carries codes of each list. */
const PAYLOADS: Readonly<Partial<Record<ReasonSystem, (code: string) => Record<string, unknown>>>> = {
  CARC: (code) => ({ adjustments: [{ group: 'CO', reason: code, amount: '10.00' }], carc: [code] }),
  RARC: (code) => ({ rarc: [code] }),
  NCPDP: (code) => ({ reject_codes: [code] }),
  HCR03: (code) => ({ decision_reason: [code] }),
  AAA03: (code) => ({ decision_reason: [code], rejections: [{ reason: code }] }),
};

const CODES = [...data.lists].flatMap(([system, { codes }]) =>
  [...codes.keys()].map((code) => [system, code] as const),
);

/** Fernández-Huerta is made for passages of a hundred words: of four plain ones it says nothing, and they are measured with the rest. */
const FEWEST_WORDS = { en: 1, es: 20 } as const;

const gradeOf = (text: string, language: Language): number =>
  text.split(' ').length < FEWEST_WORDS[language] ? 0 : readingGrade([text], language);

/** api.md section 5. */
const HIGHEST_GRADE = 8;

const LONGEST = { meaning: 260, why_it_happened: 330, what_to_do: 330 } as const;

/** Blame, promises, threats and the words of the trade. */
const FORBIDDEN: Readonly<Record<Language, readonly RegExp[]>> = {
  en: [
    /\byour fault\b|\byou failed\b|\byou should have\b|\bcareless|\bfraud/i,
    /\bguarante|\bwill win\b|\bwill be paid\b|\bentitled\b|\byou will get\b|\bmust sue\b|\blawsuit|\bsue\b|\blawyer|\battorney/i,
    /\badjudicat|\bpursuant\b|\bhereby\b|\bclaimant\b|\bremittance\b|\bsubscriber\b|\bbeneficiary\b|\bcontractual\b|\bEOB\b|\bdeny\b|\bdenial\b|\bCPT\b|\bICD\b|\bHCPCS\b|\bNPI\b|\bmodifier\b/i,
    /\bundefined\b|\bnull\b|\bNaN\b|[{}<>]/,
  ],
  es: [
    /\bsu culpa\b|\bfraude\b|\bdebió haber\b/i,
    /\bgarantiza|\bganará\b|\bdemandar\b|\babogado/i,
    /\badjudicaci|\bremesa\b|\bsuscriptor\b|\bcontractual\b|\bmodificador\b|\bCPT\b|\bICD\b/i,
    /\bundefined\b|\bnull\b|\bNaN\b|[{}<>]/,
  ],
};

describe.each(LANGUAGES)('explanations in %s', (language) => {
  it.each([...data.lists.keys()])(
    'every %s is explained at grade 8, in few words, without blame or promises',
    (system) => {
      const faults: string[] = [];
      for (const [of, code] of CODES.filter(([name]) => name === system)) {
        const payload = PAYLOADS[of]?.(code) as Record<string, never>;
        const answer = explained(eventOf(payload), language);
        const [reason] = answer.reasons;
        if (reason?.code !== code || reason.code_system !== of) faults.push(`${code}: not told`);
        else {
          for (const member of ['meaning', 'why_it_happened', 'what_to_do'] as const) {
            const text = reason[member];
            const grade = gradeOf(text, language);
            if (text.length < 10 || text.length > LONGEST[member])
              faults.push(`${code} ${member}: ${text.length} characters`);
            if (grade > HIGHEST_GRADE) faults.push(`${code} ${member}: grade ${grade}: ${text}`);
          }
        }
        const whole = [reason?.meaning ?? '', reason?.why_it_happened ?? '', reason?.what_to_do ?? ''];
        if (readingGrade(whole, language) > HIGHEST_GRADE) faults.push(`${code}: the reason is too hard`);
        if (answer.reading_grade > HIGHEST_GRADE) faults.push(`${code}: the answer is at ${answer.reading_grade}`);
        const words = wordsOf(answer).join('\n');
        for (const pattern of FORBIDDEN[language])
          if (pattern.test(words)) faults.push(`${code}: ${pattern.exec(words)?.[0]}`);
      }
      expect(faults).toEqual([]);
    },
  );

  it('have sentences of grade 8 at most, without forbidden words', () => {
    const { sentences, why, whatToDo, groups } = data.phrases;
    const all = [...Object.values(sentences), ...why.values(), ...whatToDo.values(), ...Object.values(groups)];
    const faults = all
      .map((text) => text[language])
      .filter(
        (text) =>
          gradeOf(text, language) > HIGHEST_GRADE || FORBIDDEN[language].slice(0, 3).some((one) => one.test(text)),
      );
    expect(faults).toEqual([]);
  });

  it('describe every appeal programme at grade 8, for each kind of decision', () => {
    const faults: string[] = [];
    const kinds = [
      { event_family: 'remittance', event_type: 'claim_adjudicated' },
      { event_family: 'prior_authorization', event_type: 'authorization_decided' },
      { event_family: 'pharmacy', event_type: 'claim_adjudicated' },
    ];
    for (const { program, editions } of data.rights.programs) {
      for (const { effective_from } of editions) {
        for (const kind of kinds) {
          const at = { ...kind, effective_at: `${effective_from}T00:00:00.000Z` };
          const { reading_grade, appeal_rights } = explained(eventOf({ program, jurisdiction: 'US-CA' }, at), language);
          if (reading_grade > HIGHEST_GRADE) faults.push(`${program} ${kind.event_family}: ${reading_grade}`);
          for (const { text } of appeal_rights.steps) {
            const grade = gradeOf(text, language);
            if (grade > HIGHEST_GRADE) faults.push(`${program}: ${grade}: ${text}`);
          }
        }
      }
    }
    expect(faults).toEqual([]);
  });
});

it('every text exists in both languages and differs', () => {
  const same = CODES.filter(([system, code]) => {
    const meaning = data.lists.get(system)?.codes.get(code)?.meaning;
    return meaning === undefined || meaning.en === meaning.es;
  });
  expect(same).toEqual([]);
  expect(CODES.length).toBe(228 + 108 + 87 + 21 + 49);
});

it('every code of the tables is read from the fields that adapters write', () => {
  const lost = CODES.filter(([system, code]) => {
    const { reasons } = eventCodes({ payload: PAYLOADS[system]?.(code) });
    return reasons.length !== 1 || reasons[0]?.code !== code || reasons[0].system !== system;
  });
  expect(lost).toEqual([]);
});

describe('terms of art', () => {
  const termsOf = (payload: Record<string, unknown>, language: Language): string => {
    const [reason] = explained(eventOf(payload as Record<string, never>), language).reasons;
    return `${reason?.meaning} ${reason?.why_it_happened} ${reason?.what_to_do}`;
  };
  const carc = (code: string, more: Record<string, unknown> = {}) => ({
    adjustments: [{ group: 'CO', reason: code, amount: '10.00' }],
    carc: [code],
    ...more,
  });

  it.each([
    ['CARC 197', carc('197'), '(prior authorization)', '(autorización previa)'],
    ['CARC 198', carc('198'), '(authorization)', '(autorización)'],
    ['CARC 15', carc('15'), '(authorization number)', '(número de autorización)'],
    ['NCPDP 75', { reject_codes: ['75'] }, '(prior authorization)', '(autorización previa)'],
    ['CARC 50', carc('50'), '(medical necessity)', '(necesidad médica)'],
    ['CARC 29', carc('29'), '(timely filing)', '(plazo de presentación)'],
    ['CARC 22', carc('22'), '(coordination of benefits)', '(coordinación de beneficios)'],
    ['CARC 1', carc('1'), '(cost sharing)', '(costos compartidos)'],
  ])('of %s follow the plain sentence in brackets', (_code, payload, english, spanish) => {
    expect(termsOf(payload, 'en')).toContain(english);
    expect(termsOf(payload, 'es')).toContain(spanish);
  });

  it('name the authorization number on file and the way to one after the fact', () => {
    const onFile = termsOf(carc('197', { prior_authorizations: ['PA-77120'] }), 'en');
    expect(onFile).toContain('(authorization number “PA-77120”)');
    expect(onFile).toContain('(retro-authorization)');
    expect(termsOf(carc('197'), 'en')).not.toContain('authorization number');
    expect(termsOf({ reject_codes: ['75'] }, 'en')).not.toContain('retro-authorization');
    expect(termsOf(carc('29', { prior_authorizations: ['PA-77120'] }), 'en')).not.toContain('PA-77120');
  });
});
