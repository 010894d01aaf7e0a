const plain = /^\d{11}$/;
const dashed = /^(\d{4,5})-(\d{3,4})-(\d{1,2})$/;

/** A National Drug Code as eleven digits (5-4-2); null when it is none. Ten digits without dashes are ambiguous. */
export function normalizeNdc(text: string): string | null {
  if (plain.test(text)) return text;
  const found = dashed.exec(text);
  if (found === null) return null;
  const [, labeler = '', product = '', pack = ''] = found;
  return labeler.padStart(5, '0') + product.padStart(4, '0') + pack.padStart(2, '0');
}

/** ICD-10-CM with the dot that NCPDP leaves out, after three characters. */
export function dottedIcd10(raw: string): string {
  return raw.includes('.') || raw.length <= 3 ? raw : `${raw.slice(0, 3)}.${raw.slice(3)}`;
}
