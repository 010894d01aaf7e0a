// Quotes free text of a record in our own text. The text is untrusted and may contain markup.

const MAX_CHARACTERS = 300;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must be removed
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

/** Markup characters of HTML and Markdown, and their harmless look-alikes. */
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

/** Returns the text in quotation marks, on one line, at most 300 characters, without HTML or Markdown markup. */
export function quoted(text: string): string {
  const line = text
    .slice(0, 4 * MAX_CHARACTERS)
    .replace(CONTROL, ' ')
    .replace(/[<>[\]`“”*_#|\\&]/g, (mark) => LOOK_ALIKES[mark] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const cut = [...line].slice(0, MAX_CHARACTERS).join('');
  return `“${cut}${cut.length < line.length || text.length > 4 * MAX_CHARACTERS ? '…' : ''}”`;
}

/** Removes quoted parts from a text. */
export const withoutQuotes = (text: string): string => text.replace(/“[^”]*”/g, '');
