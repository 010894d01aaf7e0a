import type { Transaction } from './map-transaction.js';

/** A body may hold a day of a switch; what was asked longest ago is forgotten first. */
const requestsLimit = 10_000;

/**
 * Whom the requests of a body are about. A response seldom names a member: it is about the one of the request that it answers,
 * by transaction code, pharmacy, reference number and day. Two members under one number are nobody's.
 */
export class AskedMembers {
  private readonly members = new Map<string, string | null>();

  note(transaction: Transaction, memberId: string | undefined): void {
    const key = keyOf(transaction, 'AM07');
    if (key === null) return;
    const member = memberId ?? null;
    const known = this.members.get(key);
    this.members.set(key, known === undefined || known === member ? member : null);
    if (this.members.size <= requestsLimit) return;
    const [oldest = ''] = this.members.keys();
    this.members.delete(oldest);
  }

  /** The member that a response is about; '' where no request of the body says so. */
  of(transaction: Transaction): string {
    const key = keyOf(transaction, 'AM22');
    return (key === null ? null : this.members.get(key)) ?? '';
  }
}

/** Null where the numbers do not tell one claim from another, or may have been cut. */
function keyOf({ transmission, group }: Transaction, segmentId: string): string | null {
  const { code, provider, date } = transmission.header;
  const claim = group.segments.find(({ id }) => id === segmentId);
  const number = claim?.whole('D2') ?? '';
  if (number === '' || provider === '' || date === '') return null;
  return [code, provider, claim?.value('EM'), number, date].join('\x1f');
}
