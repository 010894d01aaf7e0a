import type { NamedCode } from '../domain/rules/rule-codes.js';
import type { CodeTables } from './ports/code-tables.js';
import type { KnownCodes } from './ports/known-codes.js';

/** Codes of the tables that come with the service, by system. */
export type OwnCodes = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * A code is known where a table has it, ours or an imported one. Of a system without any table nothing is known, so that nothing
 * is refused: revenue codes and CPT come without one.
 */
export const knownCodesOver = (own: OwnCodes, tables: CodeTables): KnownCodes => ({
  async among(codes) {
    const imported = new Map<string, { readonly codes: ReadonlySet<string>; readonly families: ReadonlySet<string> }>();
    for (const system of new Set(codes.map((code) => code.system))) {
      if (await tables.has(system)) imported.set(system, await importedOf(tables, system, codes));
    }
    return ({ system, code, isFamily }) => {
      const ours = own.get(system);
      const theirs = imported.get(system);
      if (ours === undefined && theirs === undefined) return true;
      if (!isFamily) return ours?.has(code) === true || theirs?.codes.has(code) === true;
      return [...(ours ?? [])].some((one) => one.startsWith(code)) || theirs?.families.has(code) === true;
    };
  },
});

/** What an imported table has of these codes and families. */
async function importedOf(tables: CodeTables, system: string, codes: readonly NamedCode[]) {
  const named = codes.filter((one) => one.system === system);
  const families = new Set<string>();
  for (const { code } of named.filter(({ isFamily }) => isFamily)) {
    if ((await tables.alternatives(system, code, 1)).length > 0) families.add(code);
  }
  const single = named.filter(({ isFamily }) => !isFamily).map(({ code }) => code);
  return { codes: await tables.known(system, single), families };
}
