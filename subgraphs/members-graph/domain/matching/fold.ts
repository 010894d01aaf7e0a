import { romanise } from '../../../../shared/text/romanise.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is what is meant
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Names of any script in the letters a–z: marks taken away, other scripts romanised letter by letter (Ж, 李, م), so that a
 * name in its own script meets the same name as a clerk wrote it. Punctuation becomes a blank, an apostrophe nothing.
 */
export function foldName(text: string): string {
  const plain = ASCII.test(text) ? text : romanised(text);
  return plain
    .toLowerCase()
    .replace(/['’`´]/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

/** Letters of Latin lose their marks before any romanising: ü is u here, as clerks drop the dots; ß is ss. */
function romanised(text: string): string {
  const bare = text.normalize('NFKD').replace(/\p{M}/gu, '');
  return ASCII.test(bare) ? bare : romanise(bare);
}

export const squeezed = (folded: string): string => folded.replaceAll(' ', '');

export const digitsOf = (text: string): string => text.normalize('NFKC').replace(/[^0-9]/g, '');
