import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Problem } from '../../../shared/errors/problem.js';
import { parseStrictJson } from '../../../shared/json/strict-json.js';
import { syntaxFaultOf } from '../../../shared/json/syntax-fault.js';

const faultOf = (text: string): readonly unknown[] => {
  try {
    parseStrictJson(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const [found] = error.details.errors ?? [];
    expect(found?.message).toBe(error.message);
    return [found?.path, found?.code, found?.line, found?.column, error.message];
  }
  throw new Error('the text was accepted');
};

describe('the place of a fault in a JSON text', () => {
  it.each([
    ['{"a":1,}', 'syntax', 1, 8, 'a name in double quotes is expected'],
    ['{\n  "a": 1\n  "b": 2\n}', 'syntax', 3, 3, 'a comma or a closing brace is expected'],
    ['{\r\n"a" 1}', 'syntax', 2, 5, 'a colon is expected'],
    ['[1, 2', 'syntax', 1, 6, 'the text ends early, a comma or a closing bracket is expected'],
    ['{"a":', 'syntax', 1, 6, 'the text ends early, a value is expected'],
    ['{"é😀": nope}', 'syntax', 1, 8, 'a value is expected'],
    ['{"a":1}\n{"b":2}', 'syntax', 2, 1, 'nothing may follow the value'],
    ['["a\tb"]', 'syntax', 1, 4, 'a control character must be escaped'],
    ['["a\\x"]', 'syntax', 1, 4, 'the escape is unknown'],
    ['["open', 'syntax', 1, 7, 'the text ends early, the string does not end'],
    ['[01]', 'syntax', 1, 3, 'a comma or a closing bracket is expected'],
    ['{"a":1,\n "b":{"c":1, "c":2}}', 'repeated', 2, 14, 'repeats a key'],
    ['[1,\n 0.12345678901234567890123]', 'inexact', 2, 2, 'cannot be kept exactly'],
    ['["\\ud800"]', 'surrogate', 1, 9, 'lone surrogate'],
  ])('is named by line and column: %j', (text, code, line, column, words) => {
    const [path, ...found] = faultOf(text);
    expect(path).toBe('');
    expect(found.slice(0, 3)).toEqual([code, line, column]);
    expect(found[3]).toContain(words);
    expect(found[3]).toContain(`(line ${line}, column ${column})`);
  });

  it('is found for every text that the engine rejects, and for no other', () => {
    const anyText = fc.oneof(fc.json({ maxDepth: 3 }), fc.json({ maxDepth: 3 }).chain(cutOrChanged));
    fc.assert(
      fc.property(anyText, (text) => {
        const fault = syntaxFaultOf(Buffer.from(text));
        expect(fault?.code === 'syntax').toBe(!isJson(text));
      }),
      { seed: 20_260_302, numRuns: 3000 },
    );
  });
});

const cutOrChanged = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(text.length), fc.constantFrom('', ',', '"', '}', ']', '\\', '0', '-', 'e', ' ', '\n', '\u0001'))
    .map(([at, sign]) => text.slice(0, at) + sign + text.slice(at + 1));

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
