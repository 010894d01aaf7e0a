/** The text with another last letter: always a different id or key, and one of the same form. */
export const withOtherEnd = (text: string): string => `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`;
