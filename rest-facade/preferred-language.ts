/** The rest of a longer header is ignored. */
const MOST_RANGES = 20;

/**
 * Returns the language that Accept-Language prefers, by weight and then by order (RFC 9110 section 12.5.4). `es-MX` matches
 * `es`. Null if the header names none of the languages.
 */
export function preferredLanguage(header: string | undefined, languages: readonly string[]): string | null {
  const ranges = (header ?? '')
    .split(',', MOST_RANGES)
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return { tag, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ tag, weight }) => tag !== '' && weight > 0 && weight <= 1)
    .sort((a, b) => b.weight - a.weight);
  for (const { tag } of ranges) {
    const found = tag === '*' ? languages[0] : languages.find((one) => tag === one || tag.startsWith(`${one}-`));
    if (found !== undefined) return found;
  }
  return null;
}
