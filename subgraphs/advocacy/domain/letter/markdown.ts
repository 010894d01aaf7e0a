// Markdown as letters use it: headings, paragraphs, lists, quotes and bold. What comes from a record or a caller is data and
// never markup: it is put on one line, without control characters, and what Markdown would read as markup is escaped.

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
/** An underscore within a word is none. */
const MARKUP = /[\\`*[\]<>#|~&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** Longer texts are cut, and end in an ellipsis. */
const MOST_CHARACTERS = 2_000;

/** A value of a record within a line. */
export function inline(text: string): string {
  const oneLine = text.replace(CONTROL, ' ').replace(/ {2,}/g, ' ').trim();
  const cut = oneLine.length > MOST_CHARACTERS ? `${oneLine.slice(0, MOST_CHARACTERS).trimEnd()}…` : oneLine;
  return cut.replace(MARKUP, (sign) => `\\${sign}`);
}

export const listed = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');
