import type { AdapterWarning, EnvelopeDraft, Part, Position } from '../../adapter.js';
import { isUsable } from '../../hl7v2/identity.js';
import { compact } from '../../x12/compact.js';
import type { Refusal } from '../refusal.js';
import { describeMessage, memberIdsOf, type Warn } from './describe-message.js';
import { kindOf, type ScriptKind } from './message-kinds.js';
import { readResponse } from './response.js';
import { readTime } from './timestamps.js';
import { namespaceOf, type XmlElement } from './xml-element.js';

export interface MessageOptions {
  readonly sourceSystem: string | undefined;
  readonly strict: boolean;
  readonly receivedAt: string;
  readonly zone: string;
}

export interface MappedMessage {
  readonly envelope: EnvelopeDraft;
  readonly received: boolean;
  readonly warnings: AdapterWarning[];
  readonly kind: ScriptKind;
  readonly name: string;
}

/** What an acknowledgement needs of a message's header. */
export type MessageHeader = Readonly<Record<string, string>>;

/** What an acknowledgement would reject; strict reading refuses it. */
const strictCodes: ReadonlySet<string> = new Set([
  'MESSAGE_ID_MISSING',
  'SENDER_MISSING',
  'DATE_MISSING',
  'DATE_UNREADABLE',
  'RESPONSE_AMBIGUOUS',
  'RESPONSE_MISSING',
  'STATUS_UNKNOWN',
  'VERSION_MISSING',
  'CHARSET_MISMATCH',
]);

/** A Body has one transaction; of more, so many are named. */
const namesLimit = 20;

/** The header of a message, also of one that gives no event. */
export function headerOf(root: XmlElement): MessageHeader {
  const header = root.find('Header');
  const qualifier = (name: string): string => header?.find(name)?.attribute('Qualifier') ?? '';
  return {
    kind: 'script',
    message_id: header?.text('MessageID') ?? '',
    from: header?.text('From') ?? '',
    from_qualifier: qualifier('From'),
    to: header?.text('To') ?? '',
    to_qualifier: qualifier('To'),
    version: root.attribute('version') || root.attribute('TransactionVersion') || root.attribute('release'),
    namespace: namespaceOf(root),
    transactions: root.find('Body')?.childNames().slice(0, namesLimit).join(' ') ?? '',
  };
}

/** The event of a message, or why there is none. */
export function mapMessage(
  { name, root }: { name: string; root: XmlElement },
  about: { part: Part; position: Position; warnings: AdapterWarning[] },
  options: MessageOptions,
): { mapped: MappedMessage } | { refusal: Refusal } {
  const body = root.find('Body');
  const names = body?.childNames() ?? [];
  const [first] = names;
  const refuse = (code: string, message: string) => ({
    refusal: { code, message, item: 'message', exceptionKind: 'PARSE_FAILED' } as const,
  });
  if (name !== 'Message') return refuse('NOT_NCPDP', 'the root element is not Message');
  const transaction = first === undefined ? undefined : body?.find(first);
  if (body === undefined || first === undefined || transaction === undefined) {
    return refuse('BODY_EMPTY', 'the message has no transaction in its Body');
  }
  const kind = kindOf(first);
  if (kind === null) {
    const message = 'a transaction of this name gives no event';
    const item = /^[A-Za-z]{1,40}$/.test(first) ? first : 'of an unknown name';
    return { refusal: { code: 'UNSUPPORTED_TRANSACTION', message, item } };
  }
  const warnings = [...about.warnings];
  const warn: Warn = (code, message) => {
    if (!warnings.some((one) => one.code === code)) warnings.push({ code, message, position: about.position });
  };
  const several = names.length > 1 || (body.children(first).length ?? 0) > 1;
  if (several) warn('RESPONSE_AMBIGUOUS', 'the Body holds several transactions at once: what is said cannot be told');
  const draft = envelopeOf({ root, transaction, kind, names, several }, about.part, options, warn);
  const fault = options.strict ? warnings.find(({ code }) => strictCodes.has(code)) : undefined;
  if (fault !== undefined) return refuse(fault.code, fault.message);
  return { mapped: { ...draft, warnings, kind, name: first } };
}

interface Found {
  readonly root: XmlElement;
  readonly transaction: XmlElement;
  readonly kind: ScriptKind;
  readonly names: readonly string[];
  readonly several: boolean;
}

function envelopeOf(
  { root, transaction, kind, names, several }: Found,
  part: Part,
  options: MessageOptions,
  warn: Warn,
): Pick<MappedMessage, 'envelope' | 'received'> {
  const header = headerOf(root);
  const id = header['message_id'] ?? '';
  if (!isUsable(id, 400))
    warn('MESSAGE_ID_MISSING', 'MessageID is empty: the record is named by the hash of its message');
  if (header['version'] === '') warn('VERSION_MISSING', 'the message does not say its version');
  const sent = root.text('Header', 'SentTime');
  const time = sent === '' ? null : readTime(sent, 'SentTime', options.zone);
  if (sent !== '' && time === null) warn('DATE_UNREADABLE', 'SentTime holds no time that can be read');
  if (time === null) warn('DATE_MISSING', 'SentTime is missing: the time of receipt is taken');
  const response = readResponse(transaction, kind, warn);
  // Of several transactions at once none names the member: they may be about several.
  const memberId = several ? undefined : memberIdsOf(transaction).find((one) => isUsable(one));
  const payload = compact({
    message_type: names[0],
    ...(several && { message_types: names.slice(0, namesLimit) }),
    message_id: id,
    relates_to: root.text('Header', 'RelatesToMessageID'),
    prescriber_order_number: root.text('Header', 'PrescriberOrderNumber'),
    rx_reference_number: root.text('Header', 'RxReferenceNumber'),
    receiver: header['to'],
    ...describeMessage(transaction, warn),
    responses: response.responses,
    reason_codes: response.reasonCodes,
    ...response.codes,
    rationale: response.rationale,
    timestamp_basis: time?.basis ?? 'received',
  });
  const envelope: EnvelopeDraft = {
    event_family: 'pharmacy',
    event_type: kind.type,
    source_system: sourceSystemOf(header, options, warn),
    source_record_id: isUsable(id, 400) ? id : `sha256:${part.sha256.slice(0, 32)}`,
    event_effective_timestamp: time?.timestamp ?? options.receivedAt,
    ...(memberId !== undefined && { member_id: memberId }),
    outcome: several ? 'unknown' : response.outcome,
    payload,
  };
  return { envelope, received: time === null };
}

function sourceSystemOf(header: MessageHeader, options: MessageOptions, warn: Warn): string {
  if (options.sourceSystem !== undefined) return options.sourceSystem;
  const from = header['from'] ?? '';
  if (isUsable(from, 128)) return from;
  warn('SENDER_MISSING', 'From names no sender: the format stands for it');
  return 'ncpdp';
}
