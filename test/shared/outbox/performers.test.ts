import { describe, expect, it } from '@jest/globals';
import type { SystemEntry } from '../../../shared/contracts/system-ledger.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { LedgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import { performersOver } from '../../../shared/outbox/performers.js';

const effectOf = (source_system: LedgerEntryEffect['source_system'], event_family: string): LedgerEntryEffect => ({
  id: 'eff_01JQ0000000000000000000001',
  kind: 'ledger-entry',
  tenant_id: 'acme' as TenantId,
  source_system,
  entry: { event_family, event_type: 'forged', event_effective_timestamp: '2026-03-02T14:11:09Z', payload: {} },
});

function performing() {
  const appended: SystemEntry[] = [];
  const systemLedger = {
    append: async (_: TenantId, entries: readonly SystemEntry[]) => {
      appended.push(...entries);
    },
  };
  const performers = performersOver({ systemLedger, platformEvents: { publish: async () => undefined } });
  return { appended, perform: performers['ledger-entry'] };
}

describe('a pending entry of a row', () => {
  it.each(['retention', 'redaction', 'segment', 'event-redaction', 'anything'])(
    'is not appended to _system with the family %s',
    async (family) => {
      const { appended, perform } = performing();
      await expect(perform(effectOf('_system', family))).rejects.toMatchObject({ code: 'INTERNAL' });
      expect(appended).toEqual([]);
    },
  );

  it.each<[LedgerEntryEffect['source_system'], string]>([
    ['_system', 'signing-key'],
    ['_system', 'ledger'],
    ['_records', 'lead'],
    ['_custody', 'custody'],
  ])('is appended to %s with the family %s', async (source_system, family) => {
    const { appended, perform } = performing();
    await perform(effectOf(source_system, family));
    expect(appended).toMatchObject([{ source_system, event_family: family }]);
  });
});
