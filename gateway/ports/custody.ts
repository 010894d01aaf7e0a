import type { Custody } from '../../shared/contracts/custody.js';
import type { SystemLedger } from '../../shared/contracts/system-ledger.js';
import { custodySystemEntry } from '../../shared/custody/custody-entry.js';
import type { Ids } from '../../shared/ids/ids.js';

/** The chain of custody over the ledger's door for the service's own entries: durable and idempotent as that is. */
export const custodyOver = (systemLedger: SystemLedger, ids: Pick<Ids, 'next'>): Custody => ({
  record: (tenantId, entries) =>
    systemLedger.append(
      tenantId,
      entries.map((entry) => custodySystemEntry(entry.custody_id ?? ids.next('custody'), entry)),
    ),
});
