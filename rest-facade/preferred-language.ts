/** Longer ones are not read to their end: nobody reads that many languages. */
const MOST_RANGES = 20;

/**
 * The first of the languages that an Accept-Language header asks for, by weight and then by order (RFC 9110 section 12.5.4):
 * `es-MX` asks for `es`. Null where it asks for none of them.
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
