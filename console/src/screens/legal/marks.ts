// What the reader has marked in a document for a redaction.

/** A rectangle of a page in points, or of an image in pixels, from its upper left corner, as the API takes it. */
export interface Region {
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Marks {
  /** Passages of a text, one a line. */
  readonly passages: string;
  /** Numbers of whole pages, separated by commas. */
  readonly pages: string;
  readonly regions: readonly Region[];
}

export const NO_MARKS: Marks = { passages: '', pages: '', regions: [] };

/** Longest passage that the service takes. */
export const MAX_PASSAGE_LENGTH = 200;

const REDACTABLE: readonly string[] = ['text/plain', 'application/pdf', 'image/png', 'image/jpeg'];

/** Whether the service hides parts of documents of this type. @param mediaType with or without parameters */
export const isRedactable = (mediaType: string): boolean =>
  REDACTABLE.includes(mediaType.toLowerCase().split(';')[0]?.trim() ?? '');

const isOfWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{M}\p{N}]/u.test(character);

/** Widens a selection to whole words, which are all that the service finds, and makes it one line. */
export function passageOf(text: string, from: number, to: number): string {
  let [start, end] = [Math.min(from, to), Math.max(from, to)];
  while (start < end && /\s/.test(text[start] ?? '')) start++;
  while (end > start && /\s/.test(text[end - 1] ?? '')) end--;
  if (start === end) return '';
  while (isOfWord(text[start]) && isOfWord(text[start - 1])) start--;
  while (isOfWord(text[end - 1]) && isOfWord(text[end])) end++;
  return text.slice(start, end).replace(/\s+/g, ' ');
}

/** Regions by page, as the API takes them, behind the whole pages. */
export function pagesOf({ pages, regions }: Marks) {
  const whole = pages
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map(Number);
  const numbers = [...new Set(regions.map(({ page }) => page))].filter((page) => !whole.includes(page));
  return [
    ...whole.map((page) => ({ page })),
    ...numbers.map((page) => ({
      page,
      regions: regions.filter((region) => region.page === page).map(({ page: _, ...rest }) => rest),
    })),
  ];
}
