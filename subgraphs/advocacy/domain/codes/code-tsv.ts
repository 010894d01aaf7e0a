import { codeSystemOf, dottedIcd10 } from '../rules/rule-codes.js';
import { bad, type CodeFileReader, MAX_DESCRIPTION_CHARACTERS, NOTHING } from './code-line.js';

// Tables with a line of names: `code`, `description` (or `short_description`, `long_description`), and where there is one
// `billable` (or `valid`), 1 or 0.

const DESCRIPTIONS = ['long_description', 'description', 'short_description'] as const;
const VALID = ['billable', 'valid'] as const;
const CODE = /^[A-Z0-9][A-Z0-9.-]{0,31}$/;

export const isCodeTsv = (header: string): boolean => header.toLowerCase().split('\t').includes('code');

/** @param system told by who imports it; else by the names of the columns. Null where neither tells it. */
export function codeTsvReader(header: string, system: string | null): CodeFileReader | null {
  const names = header.toLowerCase().split('\t');
  const at = (wanted: readonly string[]): number => wanted.map((name) => names.indexOf(name)).find((i) => i >= 0) ?? -1;
  const [code, description, valid] = [names.indexOf('code'), at(DESCRIPTIONS), at(VALID)];
  const known = system ?? (valid >= 0 ? 'ICD10CM' : names.includes('short_description') ? 'HCPCS' : null);
  const name = known === null ? null : codeSystemOf(known);
  if (name === null || description < 0) return null;
  return {
    system: name,
    read: (text) => {
      if (text.trim() === '') return NOTHING;
      const cells = text.split('\t');
      const written = (cells[code] ?? '').trim().toUpperCase();
      const words = (cells[description] ?? '').trim();
      if (!CODE.test(written)) return bad('has no code');
      if (words === '' || words.length > MAX_DESCRIPTION_CHARACTERS)
        return bad('has no description, or too long a one');
      const flag = valid < 0 ? '1' : (cells[valid] ?? '').trim();
      if (flag !== '0' && flag !== '1') return bad(`says neither 1 nor 0 in ${names[valid]}`);
      const plain = name === 'ICD10CM' ? dottedIcd10(written) : written;
      return { kind: 'code', line: { code: plain, description: words, is_valid: flag === '1' } };
    },
    end: () => NOTHING,
  };
}
