import type { CodeEntry, CodeTables } from '../codes/index.js';
import { procedureSystemOf } from '../guideline/domain/index.js';
import type { CaseTable, CaseTables, TableCode } from './domain/suggestion.js';

/** Codes read from one family; a family of ICD-10-CM has some hundreds at most. */
const MAX_FAMILY_CODES = 500;
/** Codes of one case that are read; a claim has at most 12 diagnoses. */
const MAX_CODES = 50;

/** Reads the table entries that the coding rules need; null for a system without a table. */
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
      const found = await tables.alternatives(system, prefix, MAX_FAMILY_CODES);
      families.set(
        prefix,
        found.map((one) => tableCode(one, day)).filter((one) => one.is_valid),
      );
    }
  };
  await Promise.all([...new Set(codes)].slice(0, MAX_CODES).map(read));
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
