// Free text of a record among ours. It is someone else's, and may have been written to be read as markup.

const MOST_CHARACTERS = 300;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

/** What HTML or Markdown would act on, and what looks like it. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '<': '‹',
  '>': '›',
  '[': '(',
  ']': ')',
  '`': "'",
  '“': '"',
  '”': '"',
  '*': '·',
  _: ' ',
  '#': '',
  '|': '/',
  '\\': '/',
  '&': '+',
};

/** The text in quotation marks, in one line, at most 300 characters, without what HTML or Markdown would act on. */
export function quoted(text: string): string {
  const line = text
    .slice(0, 4 * MOST_CHARACTERS)
    .replace(CONTROL, ' ')
    .replace(/[<>[\]`“”*_#|\\&]/g, (mark) => LOOK_ALIKES[mark] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const cut = [...line].slice(0, MOST_CHARACTERS).join('');
  return `“${cut}${cut.length < line.length || text.length > 4 * MOST_CHARACTERS ? '…' : ''}”`;
}

/** A text without what it quotes. */
export const withoutQuotes = (text: string): string => text.replace(/“[^”]*”/g, '');
