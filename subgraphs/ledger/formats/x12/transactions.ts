import { Attachment275Mapper } from './attachment275/mapper.js';
import { Claim837Mapper } from './claim837/mapper.js';
import { Eligibility270Mapper } from './eligibility270/mapper.js';
import { Eligibility271Mapper } from './eligibility271/mapper.js';
import { Enrollment834Mapper } from './enrollment834/mapper.js';
import type { TransactionRun } from './envelope/transaction-run.js';
import type { ItemMapper } from './item-mapper.js';
import { Premium820Mapper } from './premium820/mapper.js';
import { Remit835Mapper } from './remit835/mapper.js';
import { Status276Mapper } from './status276/mapper.js';
import { Status277Mapper } from './status277/mapper.js';
import { Review278Mapper } from './um278/mapper.js';

/**
 * The transaction sets that yield events, by ST01. Others (999, 864 …) are rejected by name. A new mapper is
 * one folder next to `claim837` and one line here.
 */
const MAPPERS: ReadonlyMap<string, new (context: TransactionRun) => ItemMapper> = new Map(
  Object.entries({
    '837': Claim837Mapper,
    '835': Remit835Mapper,
    '278': Review278Mapper,
    '277': Status277Mapper,
    '271': Eligibility271Mapper,
    '270': Eligibility270Mapper,
    '275': Attachment275Mapper,
    '276': Status276Mapper,
    '820': Premium820Mapper,
    '834': Enrollment834Mapper,
  }),
);

/** The mapper of a transaction set; null if it yields no events. */
export function mapperFor(context: TransactionRun): ItemMapper | null {
  const Mapper = MAPPERS.get(context.header.setId);
  return Mapper === undefined ? null : new Mapper(context);
}
