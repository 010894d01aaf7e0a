import { dottedIcd10 } from '../rules/rule-codes.js';
import { bad, type CodeFileReader, NOTHING } from './code-line.js';

// The order file of ICD-10-CM (CMS, icd10cm_order_YYYY.txt): order number in columns 1–5, code without its point in 7–13, 1 in
// column 15 where it may be billed and 0 where it is a heading, short title in 17–76, long title from 78 on.

const LINE = /^(\d{5}) ([A-Z0-9 ]{7}) ([01]) (.{60}) ?(.*)$/;
const CODE = /^[A-Z][0-9][0-9A-Z][0-9A-Z]{0,4}$/;

export const isIcd10cmOrder = (line: string): boolean => LINE.test(line.padEnd(77));

export function icd10cmOrderReader(): CodeFileReader {
  return {
    system: 'ICD10CM',
    read: (text) => {
      if (text.trim() === '') return NOTHING;
      const [, , code = '', valid, short = '', long = ''] = LINE.exec(text.padEnd(77)) ?? [];
      if (!CODE.test(code.trim())) return bad('is no line of the order file');
      const description = (long.trim() || short.trim()).replaceAll(/\s+/g, ' ');
      if (description === '') return bad('has no title');
      return { kind: 'code', line: { code: dottedIcd10(code.trim()), description, is_valid: valid === '1' } };
    },
    end: () => NOTHING,
  };
}
