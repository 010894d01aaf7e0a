import type { AskedCode, CodeFault, FaultyCode } from '../../../shared/codes/code-tables.js';
import { dottedIcd10 } from './domain/index.js';
import type { CodeEntry, CodeTables } from './ports.js';

/** The faulty ones of these codes, by the tables in force. Codes of a system without a table are not judged. */
export async function judgeCodes(tables: CodeTables, asked: readonly AskedCode[]): Promise<readonly FaultyCode[]> {
  const editions = new Map((await tables.editions()).map(({ system, edition }) => [system, edition]));
  const faulty: FaultyCode[] = [];
  for (const [system, edition] of editions) {
    const ofSystem = asked.flatMap(({ code, ...rest }, at) =>
      rest.system === system ? [{ at, day: rest.day, code: formOf(system, code) }] : [],
    );
    if (ofSystem.length === 0) continue;
    const entries = await tables.entries(system, [...new Set(ofSystem.map(({ code }) => code))]);
    for (const { at, code, day } of ofSystem) {
      const fault = faultOf(entries.get(code), day);
      if (fault !== null) faulty.push({ at, fault, edition });
    }
  }
  return faulty;
}

const formOf = (system: string, code: string): string =>
  system === 'ICD10CM' ? dottedIcd10(code.toUpperCase()) : code.toUpperCase();

function faultOf(entry: CodeEntry | undefined, day: string | null): CodeFault | null {
  if (entry === undefined) return 'NOT_IN_TABLE';
  if (!entry.is_valid) return 'NOT_BILLABLE';
  const at = day === null ? Number.NaN : Date.parse(day);
  if (Number.isNaN(at)) return null;
  const { effective_from: from, effective_to: until } = entry;
  const isInForce = (from === undefined || at >= from.getTime()) && (until === undefined || at < until.getTime());
  return isInForce ? null : 'NOT_IN_FORCE';
}
