import { valuesOfKeys } from '../../../../shared/event-keys/event-keys.js';
import type { Keyed } from './denials.js';

/** Remittances of one provider without a claim; the provider is null where the event names none. */
interface UnmatchedProvider<E extends Keyed> {
  readonly provider: string | null;
  readonly remittances: readonly E[];
}

/** Groups remittances by provider, the provider with most of them first. */
export function groupByProvider<E extends Keyed>(remittances: readonly E[]): UnmatchedProvider<E>[] {
  const groups = new Map<string | null, E[]>();
  for (const remittance of remittances) {
    const npis = valuesOfKeys(remittance.keys, 'npi');
    for (const provider of npis.length === 0 ? [null] : npis) {
      const known = groups.get(provider);
      if (known) known.push(remittance);
      else groups.set(provider, [remittance]);
    }
  }
  return [...groups]
    .map(([provider, own]) => ({ provider, remittances: own }))
    .sort((a, b) => b.remittances.length - a.remittances.length || ((a.provider ?? '') < (b.provider ?? '') ? -1 : 1));
}
