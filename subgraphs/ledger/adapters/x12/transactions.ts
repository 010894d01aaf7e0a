import { Claim837Mapper } from './claim837/mapper.js';
import { Eligibility271Mapper } from './eligibility271/mapper.js';
import { Remit835Mapper } from './remit835/mapper.js';
import { Status277Mapper } from './status277/mapper.js';
import type { TransactionContext, TransactionMapper } from './transaction-context.js';
import { Review278Mapper } from './um278/mapper.js';

/**
 * The transactions that give events, by ST01. The others (270, 276, 834, 999 …) are refused by name. A new mapper is one
 * folder beside `claim837` and one line here.
 */
const mappers: Readonly<Record<string, new (context: TransactionContext) => TransactionMapper>> = {
  '837': Claim837Mapper,
  '835': Remit835Mapper,
  '278': Review278Mapper,
  '277': Status277Mapper,
  '271': Eligibility271Mapper,
};

/** The mapper of a transaction set; null when it gives no events. */
export function mapperFor(context: TransactionContext): TransactionMapper | null {
  const { setId } = context.header;
  const Mapper = Object.hasOwn(mappers, setId) ? mappers[setId] : undefined;
  return Mapper === undefined ? null : new Mapper(context);
}
