import type { EnvelopeDraft } from '../../format-adapter.js';
import { effectiveTime, parseDate } from '../../values/dates.js';
import { compact, cutText, isUsable, setBounded } from '../../values/payload.js';
import { RESPONSE_OUTCOMES, type TransactionKind } from './check-transmission.js';
import { describeRequest, describeResponse } from './describe.js';
import type { Group, Segment, Transmission, Warn } from './segment.js';

/** The most requests remembered; the oldest is forgotten first. */
const REQUESTS_LIMIT = 10_000;

/**
 * Remembers the members of a body's requests. A response seldom names a member, so it takes that of its request: same
 * transaction code, pharmacy, reference number and day. Two members under one number match nothing.
 */
export class AskedMembers {
  readonly #members = new Map<string, string | null>();

  note(transaction: Transaction, memberId: string | undefined): void {
    const key = keyOf(transaction, 'AM07');
    if (key === null) return;
    const member = memberId ?? null;
    const known = this.#members.get(key);
    setBounded(this.#members, key, known === undefined || known === member ? member : null, REQUESTS_LIMIT);
  }

  /** The member of a response; '' if no request of the body matches. */
  of(transaction: Transaction): string {
    const key = keyOf(transaction, 'AM22');
    return (key === null ? null : this.#members.get(key)) ?? '';
  }
}

/** Null if the numbers do not identify one claim, or may have been cut. */
function keyOf({ transmission, group }: Transaction, segmentId: string): string | null {
  const { code, provider, date } = transmission.header;
  const claim = group.segments.find(({ id }) => id === segmentId);
  const number = claim?.whole('D2') ?? '';
  if (number === '' || provider === '' || date === '') return null;
  return [code, provider, claim?.value('EM'), number, date].join('\x1f');
}

interface MappingOptions {
  readonly receivedAt: string;
  readonly zone: string;
}

interface MappedTransaction {
  readonly envelope: Omit<EnvelopeDraft, 'source_system'>;
  /** True if the effective time is the time of receipt. */
  readonly received: boolean;
}

/** One transaction of a transmission, its kind, and its number from 1. */
interface Transaction {
  readonly transmission: Transmission;
  readonly kind: TransactionKind;
  readonly group: Group;
  readonly number: number;
  /** The hash of its bytes, its id if it has no number. */
  readonly sha256: string;
  /** For a response: the member of its request, if the body contains that. */
  readonly askedMember?: string;
}

/** Builds the envelope of one transaction. */
export function mapTransaction(transaction: Transaction, options: MappingOptions, warn: Warn): MappedTransaction {
  const { transmission, kind, group } = transaction;
  const { header } = transmission;
  const find = finderOf(transaction);
  const time = effectiveTime([{ date: header.date, time: '', dateName: '401-D1' }], options);
  if (time.unreadable) warn('DATE_UNREADABLE', '401-D1 has no readable date');
  if (time.received) warn('DATE_MISSING', '401-D1 has no valid date: the time of receipt is used');
  const request = header.kind === 'request';
  const described = request ? describeRequest(find, warn) : describeResponse(find, warn);
  const memberId = memberIdOf(transaction, warn);
  // Asks for the remaining fields that it reads before the unread ones are collected.
  const outcome = request ? 'submitted' : responseOutcome(transmission, kind, group, warn);
  const recordId = recordIdOf(transaction);
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
    unread_fields: header.version === 'D0' ? [] : unreadFields(transaction, warn),
    timestamp_basis: time.basis,
  };
  return {
    envelope: {
      source_record_id: recordId,
      event_family: 'pharmacy',
      event_type: request ? kind.request : kind.response,
      event_effective_timestamp: time.timestamp,
      ...(memberId !== '' && { member_id: memberId }),
      outcome,
      payload: compact(payload),
    },
    received: time.received,
  };
}

/** The most fields kept raw in one payload, and the longest value of each. */
const [UNREAD_LIMIT, UNREAD_LENGTH] = [500, 2_000] as const;

/** F6 adds fields and segments: what no member of the payload says is kept as sent. */
function unreadFields({ transmission, group }: Transaction, warn: Warn): Record<string, string>[] {
  const unread = [...transmission.shared, ...group.segments].flatMap((segment) =>
    segment.unread().map(({ id, value }) => ({ segment: segment.id, id, value: cutText(value, UNREAD_LENGTH) })),
  );
  if (unread.length > UNREAD_LIMIT) {
    warn(
      'FIELDS_OMITTED',
      'the fields without a meaning here are too many for one event: the rest is only in the raw bytes',
    );
  }
  return unread.slice(0, UNREAD_LIMIT);
}

function finderOf({ transmission, group }: Transaction): (id: string) => Segment | undefined {
  return (id) =>
    group.segments.find((segment) => segment.id === id) ?? transmission.shared.find((segment) => segment.id === id);
}

/**
 * 302-C2. For a response the member of its request, unless AM25 names another; else 302-C2 of AM25 or 332-CY of AM29.
 * '' if absent, possibly cut, or beyond the header's transaction count (it may belong to another transmission).
 */
function memberIdOf(transaction: Transaction, warn: Warn): string {
  const { transmission, number } = transaction;
  const { header } = transmission;
  if (header.count !== null && number > header.count) {
    warn('COUNT_EXCEEDED', 'a transaction beyond the count in 109-A9: its member is unknown');
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

/** 103-A3/201-B1/402-D2/403-D3/401-D1; the hash of the bytes replaces a missing prescription number. */
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
  // A rejected transmission was not processed, so none of its transactions was decided.
  if (header.status === 'R') return 'rejected';
  if (header.status !== 'A') warn('STATUS_UNKNOWN', '501-F1 is neither A nor R');
  const segment = group.segments.find(({ id }) => id === 'AM21');
  const status = segment?.value('AN') ?? '';
  const outcome = RESPONSE_OUTCOMES.get(status);
  if (outcome === undefined) {
    warn('STATUS_UNKNOWN', '112-AN is missing or not a known transaction response status', segment);
    return 'unknown';
  }
  return kind.response === 'claim_estimated' && outcome === 'paid' ? 'estimated' : outcome;
}
