import { procedureSystemOf } from '../domain/guideline/asked-codes.js';
import type { CaseTable, CaseTables, TableCode } from '../domain/recode/suggestion.js';
import type { CodeEntry, CodeTables } from './ports/code-tables.js';

/** Codes below a heading, or beside a code: a family of ICD-10-CM has some hundreds at most. */
const MOST_OF_A_FAMILY = 500;
/** Codes of one case that are looked up; a claim carries 12 diagnoses. */
const MOST_CODES = 50;

/** What the rules of coding need of the imported tables, read before they run; null where none was imported. */
export async function recodeTables(
  tables: CodeTables,
  asked: { readonly diagnoses: readonly string[]; readonly procedures: readonly string[]; readonly day: Date },
): Promise<CaseTables> {
  const hcpcs = asked.procedures.filter((code) => procedureSystemOf(code) === 'HCPCS');
  const [icd10cm, hcpcsTable] = await Promise.all([
    tableOf(tables, 'ICD10CM', asked.diagnoses, asked.day),
    tableOf(tables, 'HCPCS', hcpcs, asked.day),
  ]);
  return { icd10cm, hcpcs: hcpcsTable };
}

async function tableOf(
  tables: CodeTables,
  system: string,
  codes: readonly string[],
  day: Date,
): Promise<CaseTable | null> {
  const edition = (await tables.editions()).find((one) => one.system === system)?.edition;
  if (edition === undefined) return null;
  const entries = new Map<string, TableCode>();
  const families = new Map<string, readonly TableCode[]>();
  const read = async (code: string): Promise<void> => {
    const entry = await tables.find(system, code);
    if (entry !== null) entries.set(code, tableCode(entry, day));
    if (system !== 'ICD10CM') return;
    for (const prefix of [code, code.slice(0, -1)]) {
      if (prefix.length < 3 || families.has(prefix)) continue;
      const found = await tables.alternatives(system, prefix, MOST_OF_A_FAMILY);
      families.set(
        prefix,
        found.map((one) => tableCode(one, day)).filter((one) => one.is_valid),
      );
    }
  };
  await Promise.all([...new Set(codes)].slice(0, MOST_CODES).map(read));
  return { edition, entry: (code) => entries.get(code) ?? null, under: (prefix) => families.get(prefix) ?? [] };
}

const tableCode = ({ code, description, is_valid, effective_from, effective_to }: CodeEntry, day: Date): TableCode => ({
  code,
  description,
  is_valid:
    is_valid &&
    (effective_from === undefined || effective_from <= day) &&
    (effective_to === undefined || day < effective_to),
});
