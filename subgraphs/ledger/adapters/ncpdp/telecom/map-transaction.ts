import type { EnvelopeDraft } from '../../adapter.js';
import { isUsable } from '../../hl7v2/identity.js';
import { compact } from '../../x12/compact.js';
import { parseDate } from '../../x12/dates.js';
import { effectiveTime } from '../../x12/effective-time.js';
import { describeRequest } from './describe-request.js';
import { describeResponse } from './describe-response.js';
import type { Segment } from './segment.js';
import { outcomeOf, type TransactionKind } from './transaction-codes.js';
import type { Group, Transmission, Warn } from './transmission.js';

export interface MappingOptions {
  readonly receivedAt: string;
  readonly zone: string;
}

export interface MappedTransaction {
  readonly envelope: Omit<EnvelopeDraft, 'source_system'>;
  /** True when the effective time is the time of receipt. */
  readonly received: boolean;
}

/** One transaction of a transmission, its kind, and its number in it from 1. */
export interface Transaction {
  readonly transmission: Transmission;
  readonly kind: TransactionKind;
  readonly group: Group;
  readonly number: number;
  /** Of the bytes it is named by where it has no number of its own. */
  readonly sha256: string;
  /** Of a response: the member of the request that it answers, where that stands in the same body. */
  readonly askedMember?: string;
}

/** The envelope of one transaction. */
export function mapTransaction(transaction: Transaction, options: MappingOptions, warn: Warn): MappedTransaction {
  const { transmission, kind, group } = transaction;
  const { header } = transmission;
  const find = finderOf(transaction);
  const time = effectiveTime([{ date: header.date, time: '', dateName: '401-D1' }], options);
  if (time.received) warn('DATE_MISSING', '401-D1 holds no day: the time of receipt is taken');
  const request = header.kind === 'request';
  const described = request ? describeRequest(find, warn) : describeResponse(find, warn);
  const memberId = memberIdOf(transaction, warn);
  const payload = {
    message_type: header.code,
    transaction: kind.name,
    transaction_number: transaction.number,
    header_status: header.status,
    date_of_service: header.date === '' ? undefined : (parseDate(header.date) ?? undefined),
    pharmacy: compact({ id: header.provider, qualifier: header.qualifier }),
    payer: compact({ bin: header.bin, pcn: header.pcn }),
    software: header.software,
    batch_reference: transmission.batchReference,
    ...described,
    timestamp_basis: time.basis,
  };
  return {
    envelope: {
      source_record_id: recordIdOf(transaction),
      event_family: 'pharmacy',
      event_type: request ? kind.request : kind.response,
      event_effective_timestamp: time.timestamp,
      ...(memberId !== '' && { member_id: memberId }),
      outcome: request ? 'submitted' : responseOutcome(transmission, kind, group, warn),
      payload: compact(payload),
    },
    received: time.received,
  };
}

function finderOf({ transmission, group }: Transaction): (id: string) => Segment | undefined {
  return (id) =>
    group.segments.find((segment) => segment.id === id) ?? transmission.shared.find((segment) => segment.id === id);
}

/**
 * 302-C2; of a response that of the request it answers, unless it names another one there (AM25), else 302-C2 of AM25 or 332-CY of
 * AM29. '' where none is, where the value may have been cut, and for a transaction beyond those that the header counts, which may be
 * of another transmission.
 */
function memberIdOf(transaction: Transaction, warn: Warn): string {
  const { transmission, number } = transaction;
  const { header } = transmission;
  if (header.count !== null && number > header.count) {
    warn('COUNT_EXCEEDED', 'a transaction beyond those that 109-A9 counts: whose it is cannot be told');
    return '';
  }
  const find = finderOf(transaction);
  const asked = transaction.askedMember ?? '';
  const named = find('AM25')?.whole('C2') ?? '';
  const answered = named === '' || named === asked ? asked : '';
  const candidates =
    header.kind === 'request' ? [find('AM04')?.whole('C2')] : [answered, named, find('AM29')?.whole('CY')];
  return candidates.find((id) => id !== undefined && isUsable(id)) ?? '';
}

/** 103-A3/201-B1/402-D2/403-D3/401-D1; without a prescription number, the hash of the bytes stands in its place. */
function recordIdOf({ transmission, group, sha256 }: Transaction): string {
  const { header } = transmission;
  const claim = group.segments.find(({ id }) => id === 'AM07' || id === 'AM22');
  const number = claim?.value('D2') ?? '';
  const named = isUsable(number, 64) ? number : `sha256:${sha256.slice(0, 32)}`;
  const fill = claim?.value('D3') ?? '';
  const parts = [header.code, header.provider, named, isUsable(fill, 8) ? fill : '', header.date];
  return parts.join('/');
}

function responseOutcome({ header }: Transmission, kind: TransactionKind, group: Group, warn: Warn): string {
  // A rejected transmission was not read: whatever its transactions say, none of them was decided.
  if (header.status === 'R') return 'rejected';
  if (header.status !== 'A') warn('STATUS_UNKNOWN', '501-F1 is neither A nor R');
  const segment = group.segments.find(({ id }) => id === 'AM21');
  const status = segment?.value('AN') ?? '';
  const outcome = outcomeOf(status);
  if (outcome === null) {
    warn('STATUS_UNKNOWN', '112-AN is missing or no known transaction response status', segment);
    return 'unknown';
  }
  return kind.response === 'claim_estimated' && outcome === 'paid' ? 'estimated' : outcome;
}
