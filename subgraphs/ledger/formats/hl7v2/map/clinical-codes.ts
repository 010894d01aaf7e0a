import { dottedCode } from '../../values/codes.js';
import { describeMoment } from '../../values/hl7-timestamps.js';
import { compact, unique } from '../../values/payload.js';
import type { Segment } from '../message/segment.js';

/** A coded element (CE, CWE). */
interface Coded {
  readonly code: string;
  readonly text: string;
  readonly system: string;
}

/** One repetition of a coded field; its alternate code (components 4 to 6) if the first is empty. */
export function codedOf(segment: Segment, repetition: string): Coded {
  const code = segment.valueOf(repetition, 1);
  const text = segment.textOf(repetition, 2);
  if (code !== '' || text !== '') return { code, text, system: segment.valueOf(repetition, 3) };
  return {
    code: segment.valueOf(repetition, 4),
    text: segment.textOf(repetition, 5) || segment.textOf(repetition, 9),
    system: segment.valueOf(repetition, 6),
  };
}

export function codedField(segment: Segment, field: number): Coded {
  return codedOf(segment, segment.repetitions(field)[0] ?? '');
}

/** Both codes of a coded field: the second (components 4 to 6) often names the same thing in another system. */
export function codesOf(segment: Segment, field: number): Coded[] {
  const first = codedField(segment, field);
  const other = {
    code: segment.value(field, 4),
    text: segment.text(field, 5),
    system: segment.value(field, 6),
  };
  if (first.code === '' && first.text === '') return [];
  return other.code === '' || (other.code === first.code && other.system === first.system) ? [first] : [first, other];
}

export const describeCoded = ({ code, text, system }: Coded): Record<string, unknown> =>
  compact({ code, text, system });

/** The most codes of one event; the raw bytes contain all. */
const CODES_LIMIT = 300;

const ICD10_SYSTEMS = /^(?:I10|I10C|I10M|ICD-?10(?:-?CM)?)$/i;
const ICD9_SYSTEMS = /^(?:I9|I9C|I9CDX|ICD-?9(?:-?CM)?)$/i;

/** DG1-3 and FT1-19: codes, each with its system and raw form. */
export function describeDiagnoses(segments: readonly Segment[], payload: Record<string, unknown>): void {
  const diagnoses: Record<string, unknown>[] = [];
  const codes: string[] = [];
  const take = (coded: Coded, more: Record<string, unknown> = {}): void => {
    const { code: raw, text, system } = coded;
    const code = dotted(raw, system);
    if ((code === '' && text === '') || diagnoses.length >= CODES_LIMIT) return;
    if (code !== '') codes.push(code);
    diagnoses.push(compact({ code, ...(code !== raw && { raw }), text, system, ...more }));
  };
  for (const segment of segments) {
    if (segment.id === 'DG1') {
      const coded = codedField(segment, 3);
      const text = coded.text || segment.text(4);
      take({ ...coded, text }, { type: segment.value(6), date: describeMoment(segment.value(5)) });
    } else if (segment.id === 'FT1') {
      for (const repetition of segment.repetitions(19)) take(codedOf(segment, repetition));
    }
  }
  payload['diagnosis_codes'] = unique(codes);
  payload['diagnoses'] = diagnoses;
}

function dotted(raw: string, system: string): string {
  if (ICD10_SYSTEMS.test(system)) return dottedCode('ABK', raw);
  return ICD9_SYSTEMS.test(system) ? dottedCode('BK', raw) : raw;
}

/** The procedure of a segment: PR1-3, FT1-25 (else the charge code FT1-7), OBR-4, RXO-1, RXE-2, RXD-2, RXA-5. */
function procedureOf(segment: Segment): Coded | null {
  const field = PROCEDURE_FIELDS[segment.id];
  if (field !== undefined) return codedField(segment, field);
  if (segment.id !== 'FT1') return null;
  const procedure = codedField(segment, 25);
  return procedure.code === '' ? codedField(segment, 7) : procedure;
}

const PROCEDURE_FIELDS: Readonly<Record<string, number | undefined>> = {
  PR1: 3,
  OBR: 4,
  RXO: 1,
  RXE: 2,
  RXD: 2,
  RXA: 5,
};

/** What became of an order for a drug: it says the drug that counts, and RXO before it the one that was asked for. */
const AFTER_ORDER: ReadonlySet<string> = new Set(['RXE', 'RXD', 'RXA']);

/** Procedures of the segments in order, and the service of the first. */
export function describeProcedures(segments: readonly Segment[], payload: Record<string, unknown>): void {
  const procedures: Coded[] = [];
  const isFilled = segments.some(({ id }) => AFTER_ORDER.has(id));
  for (const segment of segments) {
    if (isFilled && segment.id === 'RXO') continue;
    const procedure = procedures.length < CODES_LIMIT ? procedureOf(segment) : null;
    if (procedure !== null && (procedure.code !== '' || procedure.text !== '')) procedures.push(procedure);
  }
  payload['procedure_codes'] = unique(procedures.map(({ code }) => code).filter((code) => code !== ''));
  payload['procedures'] = distinct(procedures).map(describeCoded);
  const [first] = procedures;
  if (first !== undefined) payload['service'] = first.text || first.code;
}

function distinct(procedures: readonly Coded[]): Coded[] {
  const seen = new Set<string>();
  return procedures.filter(({ code, text, system }) => {
    const key = `${code}\n${system}\n${code === '' ? text : ''}`;
    return seen.size < seen.add(key).size;
  });
}
