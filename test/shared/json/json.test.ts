import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import canonicalize from 'canonicalize';
import { Problem } from '../../../shared/errors/problem.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import { isExactLiteral } from '../../../shared/json/exact-number.js';
import { isJsonObject, type JsonValue, MAX_JSON_DEPTH, parseStrictJson } from '../../../shared/json/strict-json.js';
import { seeded } from '../../support/random.js';

const SEED = 20260302;
const parse = (text: string): JsonValue => parseStrictJson(Buffer.from(text, 'utf8'));

/** The public message of the refusal without its place; fails when the text is taken. */
function refusalOf(bytes: Uint8Array | string): string {
  try {
    parseStrictJson(typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes);
  } catch (error) {
    if (error instanceof Problem && error.code === 'MALFORMED_BODY')
      return error.message.replace(/(?:: [^(]*)? \(line \d+, column \d+\)/, '');
    throw error;
  }
  throw new Error('the text was taken');
}

describe('repeated keys', () => {
  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"b":2,"a":3}',
    '{"x":{"a":1,"a":2}}',
    '[{"a":1},{"a":1,"a":2}]',
    '{"a":{"b":1,"c":2},"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"é":1,"\\u00e9":2}',
    '{"":1,"":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"1":1,"1":2}',
  ])('are rejected: %s', (text) => {
    expect(refusalOf(text)).toBe('An object in the body repeats a key.');
  });

  it.each([
    '{"a":1,"A":1}',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":1}}}',
    '{"a":"b\\":1,\\"a\\":2"}',
    '{"a:b":":","c":"{\\"d\\":1}"}',
    '{"\\u00e9":1,"e\\u0301":2}',
  ])('are not reported for a similar text: %s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it('are not reported for __proto__, which is a member like any other', () => {
    const value = parse('{"__proto__":{"admin":true},"constructor":1}');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect((value as { admin?: unknown }).admin).toBeUndefined();
    expect(canonicalJson(value)).toBe('{"__proto__":{"admin":true},"constructor":1}');
  });
});

describe('lone surrogates', () => {
  it.each([
    '"\\ud800"',
    '"\\udc00"',
    '"\\uD800x"',
    '"x\\uDFFF"',
    '"\\ud800\\ud800\\udc00"',
    '"\\ud83d\\n\\ude00"',
    '"\\ude00\\ud83d"',
    '"\\ud83d\\\\ude00"',
    '{"\\ud800":1}',
    '[{"a":["\\udbff"]}]',
  ])('are rejected: %s', (text) => {
    expect(refusalOf(text)).toBe('A string holds a lone surrogate.');
  });

  it.each([
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\uD83D\\uDE00\\ud83d\\ude00"', '😀😀'],
    ['"😀"', '😀'],
    ['"\\\\ud800"', '\\ud800'],
    ['"\\"\\\\\\"\\ud83d\\ude00"', '"\\"😀'],
    ['"\\uffff\\ue000\\ud7ff"', '\uffff\ue000\ud7ff'],
  ])('are not reported for pairs and similar text: %s', (text, value) => {
    expect(parse(text)).toBe(value);
  });
});

describe('text that is not UTF-8', () => {
  it.each([
    ['a stray continuation byte', [0x22, 0x80, 0x22]],
    ['a byte that never occurs', [0x22, 0xff, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate written as three bytes', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a sequence cut short', [0x22, 0xe2, 0x82, 0x22]],
    ['beyond U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
  ])('is rejected: %s', (_name, bytes) => {
    expect(refusalOf(Uint8Array.from(bytes))).toBe('The body is not valid UTF-8.');
  });

  it('is not read as UTF-16', () => {
    expect(refusalOf(Buffer.from('{"a":1}', 'utf16le'))).toBe('The body is not valid JSON.');
  });
});

describe('numbers without an exact value', () => {
  it.each([
    '12345678901234567890',
    '9007199254740993',
    '-9007199254740993',
    '0.12345678901234567890',
    '3.141592653589793238',
    '1e400',
    '-1e400',
    '1e-400',
    '4.9e-324',
    '123456789012345678e-2',
    '1.00000000000000000001',
  ])('are rejected: %s', (literal) => {
    expect(isExactLiteral(literal)).toBe(false);
    for (const text of [literal, `[${literal}]`, `{"a":${literal}}`, `[1,${literal} ,2]`]) {
      expect(refusalOf(text)).toBe('A number cannot be kept exactly; send it as a string.');
    }
  });

  it.each([
    ['0', 0],
    ['-0', -0],
    ['-0.0', -0],
    ['0e5', 0],
    ['1.0', 1],
    ['1.50', 1.5],
    ['0.1', 0.1],
    ['1e2', 100],
    ['1E+2', 100],
    ['1e-2', 0.01],
    ['100000000000000000000', 1e20],
    ['1e21', 1e21],
    ['1000000000000000000000000', 1e24],
    ['9007199254740992', 2 ** 53],
    ['9007199254740991', 2 ** 53 - 1],
    ['5e-324', 5e-324],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['123456789012345', 123456789012345],
    ['0.000001000000000000', 0.000001],
    [`1.${'0'.repeat(400)}`, 1],
  ])('do not include %s', (literal, value) => {
    expect(isExactLiteral(literal)).toBe(true);
    expect(parse(literal)).toBe(value);
  });

  it('match exact decimal arithmetic over random literals', () => {
    const random = seeded(SEED);
    const wrong: string[] = [];
    let exact = 0;
    for (let i = 0; i < 20_000; i++) {
      const literal = randomLiteral(random);
      const value = Number(literal);
      const expected = Number.isFinite(value) && sameDecimal(literal, String(value));
      if (expected) exact++;
      if (isExactLiteral(literal) !== expected) wrong.push(literal);
    }
    expect(wrong).toEqual([]);
    expect(exact).toBeGreaterThan(1_000);
    expect(exact).toBeLessThan(19_000);
  });

  it('cost time linear in a long run of zeros', () => {
    // At quadratic cost this text would take minutes.
    expect(refusalOf(`[1${'0'.repeat(400_000)}1]`)).toContain('cannot be kept exactly');
    expect(refusalOf(`[0.${'0'.repeat(400_000)}1]`)).toContain('cannot be kept exactly');
  });
});

function randomLiteral(random: () => number): string {
  const digits = (most: number): string =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => Math.floor(random() * 10)).join('');
  const whole = digits(19).replace(/^0+(?=.)/, '');
  const fraction = random() < 0.5 ? `.${digits(12)}` : '';
  const power = random() < 0.3 ? `e${Math.floor(random() * 60) - 30}` : '';
  return `${random() < 0.5 ? '-' : ''}${whole}${fraction}${power}`;
}

/** Value equality of two decimal literals by big integers: independent of how the checked code goes about it. */
function sameDecimal(a: string, b: string): boolean {
  const scaled = (text: string): bigint => {
    const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
    const [whole = '', fraction = ''] = mantissa.split('.');
    return BigInt(whole + fraction) * 10n ** BigInt(Number(power) - fraction.length + 400);
  };
  return scaled(a) === scaled(b);
}

describe('nesting', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

  it(`is accepted up to ${MAX_JSON_DEPTH} levels, and rejected before parsing beyond`, () => {
    expect(parse(nested(MAX_JSON_DEPTH))).toBeDefined();
    expect(refusalOf(nested(MAX_JSON_DEPTH + 1))).toContain('nests deeper');
    expect(refusalOf('{"a":'.repeat(MAX_JSON_DEPTH + 1))).toContain('nests deeper');
    expect(refusalOf('['.repeat(1_000_000))).toContain('nests deeper');
  });

  it('counts the levels open at once', () => {
    expect(parse(`[${'[],{},'.repeat(1_000)}[]]`)).toHaveLength(2_001);
  });

  it('does not count brackets inside strings', () => {
    expect(parse(`"${'['.repeat(500)}"`)).toHaveLength(500);
    expect(parse(`"\\"${'{'.repeat(500)}"`)).toHaveLength(501);
  });
});

describe('broken JSON is rejected without repeating any of it', () => {
  it.each([
    '',
    ' ',
    'nul',
    '{',
    '{"a"}',
    '{"a":1,}',
    '[1,]',
    "{'a':1}",
    '{"a":01}',
    '{"a":+1}',
    '{"a":.5}',
    '{"a":1.}',
    '{"a":NaN}',
    '"tab\there"',
    '"unfinished',
    '"bad \\x escape"',
    '"bad \\u12g4"',
    '{"a":1}{"b":2}',
    '\ufeff{"a":1}',
    '{"secret-name":"Doe"',
  ])('%j', (text) => {
    expect(refusalOf(text)).toBe('The body is not valid JSON.');
  });
});

/** A random JSON text without repeated keys, inexact numbers or lone surrogates, and with all sorts of spacing. */
function randomText(random: () => number, depth: number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const space = (): string => pick(['', '', '', ' ', '\n', '\t', '\r\n  ']);
  const string = (): string =>
    `"${Array.from({ length: Math.floor(random() * 6) }, () =>
      pick([
        'a',
        'Z',
        '7',
        ' ',
        'é',
        '€',
        '😀',
        '\\n',
        '\\"',
        '\\\\',
        '\\/',
        '\\u0041',
        '\\ud83d\\ude00',
        ':',
        '{',
        ']',
        ',',
      ]),
    ).join('')}"`;
  const kind = Math.floor(random() * (depth > 0 ? 8 : 6));
  const text = [
    () => 'null',
    () => pick(['true', 'false']),
    () => String(Math.floor(random() * 2e6) - 1e6),
    () => String((Math.floor(random() * 2e6) - 1e6) / 64),
    () => pick(['0', '-0', '1e3', '2.5E-3', '1e+21', '1.0', '123456789012345']),
    string,
    () => `[${Array.from({ length: Math.floor(random() * 5) }, () => randomText(random, depth - 1)).join(',')}]`,
    () => {
      const keys = [...new Set(Array.from({ length: Math.floor(random() * 5) }, () => JSON.parse(string()) as string))];
      return `{${keys.map((key) => `${space()}${JSON.stringify(key)}${space()}:${randomText(random, depth - 1)}`).join(',')}}`;
    },
  ][kind];
  return `${space()}${text?.() ?? 'null'}${space()}`;
}

describe('compared with JSON.parse', () => {
  it('returns the same value for 5,000 random valid texts', () => {
    const random = seeded(SEED);
    for (let i = 0; i < 5_000; i++) {
      const text = randomText(random, 5);
      if (!isDeepStrictEqual(parse(text), JSON.parse(text))) throw new Error(`another value: ${text}`);
    }
  });

  it('rejects a text with one changed byte, or returns the same value', () => {
    const random = seeded(SEED + 1);
    let refused = 0;
    for (let i = 0; i < 5_000; i++) {
      const bytes = Buffer.from(randomText(random, 4), 'utf8');
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      let value: JsonValue;
      try {
        value = parseStrictJson(bytes);
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'MALFORMED_BODY') throw error;
        refused++;
        continue;
      }
      const text = bytes.toString('utf8');
      if (!isDeepStrictEqual(value, JSON.parse(text))) throw new Error(`another value: ${text}`);
    }
    expect(refused).toBeGreaterThan(1_000);
    expect(refused).toBeLessThan(4_900);
  });

  it('reads bytes inside a larger buffer within their bounds', () => {
    const whole = Buffer.from('xx{"a":12345678901234.5}yy');
    expect(parseStrictJson(whole.subarray(2, -2))).toEqual({ a: 12345678901234.5 });
  });
});

describe('the canonical form', () => {
  it('matches the example of RFC 8785', () => {
    const text =
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}';
    expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts members by UTF-16 code units, as RFC 8785 section 3.2.3 shows', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 };
    expect(canonicalJson(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}');
  });

  it('equals that of an independent implementation, 5,000 random values', () => {
    const random = seeded(SEED + 2);
    for (let i = 0; i < 5_000; i++) {
      const value = parse(randomText(random, 5));
      const [ours, theirs] = [canonicalJson(value), canonicalize(value)];
      if (ours !== theirs) throw new Error(`${ours} is not ${theirs}`);
    }
  });

  it('does not depend on the order of members, and survives a round trip', () => {
    expect(canonicalJson({ b: [1, { d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[1,{"c":2,"d":1}]}');
    const text = canonicalJson(parse('{ "z" : 1.0, "a" : [ -0, 1e2 ] }'));
    expect(text).toBe('{"a":[0,100],"z":1}');
    expect(canonicalJson(parse(text))).toBe(text);
  });

  it('omits undefined members, and rejects values that are no JSON', () => {
    expect(canonicalJson({ a: undefined, b: 1 } as unknown as JsonValue)).toBe('{"b":1}');
    expect(canonicalJson({})).toBe('{}');
    expect(canonicalJson([])).toBe('[]');
    for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, [undefined]]) {
      expect(() => canonicalJson(value as JsonValue)).toThrow(TypeError);
    }
  });
});

it('distinguishes an object from other values of its type', () => {
  expect([{}, { a: 1 }].every(isJsonObject)).toBe(true);
  expect([null, [], 'a', 1, undefined].some(isJsonObject)).toBe(false);
});
