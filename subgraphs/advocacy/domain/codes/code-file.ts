import type { CodeFileReader, ReadLine } from './code-line.js';
import { codeTsvReader, isCodeTsv } from './code-tsv.js';
import { hcpcsFixedReader, isHcpcsFixed } from './hcpcs-fixed.js';
import { icd10cmOrderReader, isIcd10cmOrder } from './icd10cm-order.js';

/** Which kind of file it is, by its first line; null where it is none that is known. */
export function readerFor(
  firstLine: string,
  system: string | null,
): { reader: CodeFileReader; hasHeader: boolean } | null {
  if (isCodeTsv(firstLine)) {
    const reader = codeTsvReader(firstLine, system);
    return reader === null ? null : { reader, hasHeader: true };
  }
  if (isIcd10cmOrder(firstLine)) return { reader: icd10cmOrderReader(), hasHeader: false };
  if (isHcpcsFixed(firstLine)) return { reader: hcpcsFixedReader(), hasHeader: false };
  return null;
}

/** CPT (five digits) and dental codes are in files of HCPCS too, under licences of the AMA and the ADA: they are not taken. */
const NOT_LEVEL_2 = /^(?:[0-9]|D[0-9])/;

export function takeLine(reader: CodeFileReader, read: ReadLine): ReadLine {
  if (read.kind !== 'code' || reader.system !== 'HCPCS' || !NOT_LEVEL_2.test(read.line.code)) return read;
  return { kind: 'passed-over', why: 'not of HCPCS level II' };
}
