import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { highlightOf, matchesIn } from '../../../shared/text/highlight.js';
import { rarenessOf, scoreOf } from '../../../shared/text/score.js';
import { parseSearchQuery, type SearchQuery } from '../../../shared/text/search-query.js';
import { holdsPhrase, searchedText } from '../../../shared/text/searched-text.js';
import { codesOf, tokensOf } from '../../../shared/text/tokens.js';

const query = (text: string): SearchQuery => {
  const parsed = parseSearchQuery(text);
  if (typeof parsed === 'string') throw new Error(`no query: ${parsed}`);
  return parsed;
};

describe('text analysis', () => {
  it.each([
    ['Not documented.', ['not', 'documented']],
    ['José MÜLLER Ångström', ['jose', 'muller', 'angstrom']],
    ['ﬁle №5 ½ ⑴', ['file', '5', '12', '1']],
    ["the patient’s and the patient's", ['the', "patient's", 'and', 'the', "patient's"]],
    ['a\u0301b', ['ab']],
    ['Иванов 東京', ['иванов', '東京']],
    ['👍 — …', []],
    ['x'.repeat(100), ['x'.repeat(64)]],
  ])('turns %j into %j', (text, expected) => {
    expect(tokensOf(text).map((token) => token.text)).toEqual(expected);
  });

  it.each([
    ['M25.561', ['m25561']],
    ['PA-2026-0001, CO-50', ['pa20260001', 'co50']],
    ['prior_auth.denied', ['priorauthdenied']],
    ['2026-03-02 and 180.00', []],
    ['one, two. Three', []],
    ['7101/0001/3/CLM-7003', ['710100013clm7003', 'clm7003']],
    ['AB-1/CD-2', ['ab1cd2', 'ab1', 'cd2']],
    ['evt_01JQ0000000000000000000001', ['evt01jq0000000000000000000001']],
  ])('finds in %j the codes %j', (text, expected) => {
    expect(codesOf(tokensOf(text)).map((code) => code.text)).toEqual(expected);
  });

  it('reports places in the original text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        let last = 0;
        for (const { start, end } of tokensOf(text)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          last = end;
        }
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it('returns distinct terms, weighted by place and frequency, without stop words', () => {
    const { terms, weights, length } = searchedText([
      { text: 'Denied: the denial of M25.561', weight: 2 },
      { text: 'denying', weight: 3 },
    ]);
    expect(Object.fromEntries(terms.map((term, i) => [term, weights[i]]))).toEqual({
      deni: 7,
      m25: 2,
      '561': 2,
      m25561: 2,
    });
    expect(length).toBe(7);
  });

  it('matches a phrase within one text only', () => {
    const { words } = searchedText([
      { text: 'Not medically necessary', weight: 1 },
      { text: 'care', weight: 1 },
    ]);
    expect(holdsPhrase(words, ['not', 'medically'])).toBe(true);
    expect(holdsPhrase(words, ['necessary', 'care'])).toBe(false);
    expect(holdsPhrase(words, ['medical'])).toBe(false);
  });
});

describe('a query', () => {
  it.each([
    ['denied Denials', { all: [{ kind: 'term', term: 'deni' }], none: [] }],
    ['M25.561', { all: [{ kind: 'term', term: 'm25561' }], none: [] }],
    ['pa-2026*', { all: [{ kind: 'prefix', prefix: 'pa2026' }], none: [] }],
    [
      '“Not  Covered” -appeal -"out of network"',
      {
        all: [{ kind: 'phrase', words: ['not', 'covered'], terms: ['not', 'cover'] }],
        none: [
          { kind: 'term', term: 'appeal' },
          { kind: 'phrase', words: ['out', 'of', 'network'], terms: ['out', 'network'] },
        ],
      },
    ],
    [
      'out-of-network',
      { all: [{ kind: 'phrase', words: ['out', 'of', 'network'], terms: ['out', 'network'] }], none: [] },
    ],
    ['7101/0001/CLM-7003', { all: [{ kind: 'term', term: '71010001clm7003' }], none: [] }],
    ['"knee"', { all: [{ kind: 'term', term: 'knee' }], none: [] }],
    [
      '"open to the end',
      { all: [{ kind: 'phrase', words: ['open', 'to', 'the', 'end'], terms: ['open', 'end'] }], none: [] },
    ],
    ['code:50 a,b1', { all: ['code', '50', 'b1'].map((term) => ({ kind: 'term', term })), none: [] }],
  ])('parses: %j', (text, expected) => {
    expect(parseSearchQuery(text)).toEqual({ filters: [], ...expected });
  });

  it.each([
    ['carc:50', [{ name: 'carc', value: '50', excluded: false }], 0],
    ['knee -Outcome:approved', [{ name: 'outcome', value: 'approved', excluded: true }], 1],
    ['outcome:"not paid" knee', [{ name: 'outcome', value: 'not paid', excluded: false }], 1],
    ['carc:', [{ name: 'carc', value: '', excluded: false }], 0],
    ['urn:uuid:1 https://carc.example 12:30', [], 7],
  ])('parses filters by known names: %j', (text, filters, words) => {
    const parsed = parseSearchQuery(text, new Set(['carc', 'outcome']));
    if (typeof parsed === 'string') throw new Error(`no query: ${parsed}`);
    expect(parsed.filters).toEqual(filters);
    expect(parsed.all).toHaveLength(words);
  });

  it('with nothing but an excluded filter holds nothing to look for', () => {
    expect(parseSearchQuery('-carc:50', new Set(['carc']))).toBe('nothing');
  });

  it.each([
    ['', 'nothing'],
    ['the "of a"', 'nothing'],
    ['-denied', 'nothing'],
    ['- — "', 'nothing'],
    ['*', 'prefix'],
    ['x*', 'prefix'],
    [Array.from({ length: 40 }, (_, n) => `w${n}`).join(' '), 'parts'],
  ])('is rejected: %j', (text, fault) => {
    expect(parseSearchQuery(text)).toBe(fault);
  });

  it('parses or is rejected with a reason, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab1 -"*.\'_é|$\\'), maxLength: 40 }), (text) => {
        const parsed = parseSearchQuery(text);
        if (typeof parsed === 'string') return expect(['nothing', 'prefix', 'parts']).toContain(parsed);
        // Nothing of it may mean anything to a database's expressions.
        for (const part of [...parsed.all, ...parsed.none]) {
          if (part.kind !== 'phrase')
            expect(part.kind === 'term' ? part.term : part.prefix).toMatch(/^[\p{L}\p{N}']+$/u);
        }
      }),
      { seed: 11, numRuns: 500 },
    );
  });
});

describe('highlights', () => {
  const shown = (text: string, asked: string): string[] =>
    matchesIn(text, query(asked).all).map(({ start, end }) => text.slice(start, end));

  it.each([
    ['Denied, and the denial stood.', 'deny', ['Denied', 'denial']],
    ['Not medically necessary', '"medically necessary"', ['medically necessary']],
    ['codes M25.561 and M25561', 'm25.561', ['M25.561', 'M25561']],
    ['Physician PHYSIO', 'physi*', ['Physician', 'PHYSIO']],
    ['José said', 'jose', ['José']],
    ['nothing here', 'zebra', []],
  ])('%j for %j', (text, asked, expected) => {
    expect(shown(text, asked)).toEqual(expected);
  });

  it('cut a long text around the first match, at spaces, and adjust the places', () => {
    const long = `${'word '.repeat(100)}denied ${'tail '.repeat(100)}`;
    const found = highlightOf(long, query('denied').all);
    expect(found?.snippet.length).toBeLessThanOrEqual(210);
    expect(found?.snippet).toMatch(/^…word .* denied tail .*tail…$/);
    const [match] = found?.matches ?? [];
    expect(found?.snippet.slice(match?.start, match?.end)).toBe('denied');
  });

  it('never begin or end a snippet within a surrogate pair', () => {
    const long = `${'😀'.repeat(200)} denied ${'😀'.repeat(200)}`;
    const snippet = highlightOf(long, query('denied').all)?.snippet ?? '';
    expect(Buffer.from(snippet).toString()).toBe(snippet);
  });
});

describe('scores', () => {
  const score = (weights: readonly number[], rareness: readonly number[], length = 60): number =>
    scoreOf(
      weights.map((weight, i) => ({ weight, rareness: rareness[i] ?? 0 })),
      length,
    );

  it('lie between 0 and 1, rise with repetition and fall with length', () => {
    expect(score([1], [1])).toBeGreaterThan(0);
    expect(score([3], [1])).toBeGreaterThan(score([1], [1]));
    expect(score([1_000_000], [5])).toBeLessThanOrEqual(1);
    expect(score([1], [1], 600)).toBeLessThan(score([1], [1], 60));
  });

  it('weigh a rare term more than a common one', () => {
    const [rare, common] = [rarenessOf(3, 10_000), rarenessOf(9_000, 10_000)];
    expect(rare).toBeGreaterThan(common);
    expect(common).toBeGreaterThan(0);
    expect(score([4, 1], [rare, common])).toBeGreaterThan(score([1, 4], [rare, common]));
  });
});
