import { instantOf } from '../../../../shared/time/rfc3339.js';
import { bad, type CodeFileReader, type CodeLine, NOTHING, type ReadLine } from './code-line.js';

// The alphanumeric file of HCPCS level II (CMS, "HCPCS record layout"): code in columns 1–5, sequence in 6–10, record type in 11
// (3 begins a code, 4 goes on with it, 7 and 8 the same of a modifier), long description in 12–91, short one in 92–119, the day
// from which the line says so in 277–284, the last day of its validity in 285–292.

const CODE = /^[A-Z0-9]{5}$/;
const HEAD = /^.{5}[0-9 ]{5}[3478]/;
const MS_A_DAY = 86_400_000;

export const isHcpcsFixed = (line: string): boolean => line.length >= 92 && HEAD.test(line);

export function hcpcsFixedReader(): CodeFileReader {
  let open: { line: CodeLine; texts: string[] } | null = null;
  const close = (): ReadLine => {
    if (open === null) return NOTHING;
    const { line, texts } = open;
    open = null;
    return { kind: 'code', line: { ...line, description: texts.join(' ').replaceAll(/\s+/g, ' ').trim() } };
  };
  return {
    system: 'HCPCS',
    read: (text) => {
      if (text.trim() === '') return NOTHING;
      if (!isHcpcsFixed(text)) return bad('is no line of the record layout');
      const code = text.slice(0, 5).trim();
      const type = text[10];
      const words = text.slice(11, 91).trim();
      if (type === '4') {
        if (open?.line.code !== code) return bad('goes on with a code that has not begun');
        open.texts.push(words);
        return NOTHING;
      }
      const before = close();
      if (type !== '3') return before.kind === 'nothing' ? { kind: 'passed-over', why: 'a modifier' } : before;
      if (!CODE.test(code)) return bad('has no code');
      const from = dayOf(text.slice(276, 284));
      const last = dayOf(text.slice(284, 292));
      if (from === null || last === null) return bad('has a date that there is none of');
      const line: CodeLine = {
        code,
        description: '',
        is_valid: true,
        ...(from === undefined ? {} : { effective_from: from }),
        ...(last === undefined ? {} : { effective_to: new Date(last.getTime() + MS_A_DAY) }),
      };
      open = { line, texts: [words || text.slice(91, 119).trim()] };
      return before;
    },
    end: close,
  };
}

/** Undefined where the field is empty, null where it is no day. */
function dayOf(field: string): Date | undefined | null {
  const text = field.trim();
  if (text === '') return undefined;
  const ms = instantOf(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}T00:00:00Z`);
  return ms === undefined || text.length !== 8 ? null : new Date(ms);
}
