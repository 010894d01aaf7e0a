import type { Refusal } from '../../emit.js';
import type { AdapterWarning, AttachedDocument, EnvelopeDraft, Part, Position } from '../../format-adapter.js';
import { compact, isUsable } from '../../values/payload.js';
import { namespaceOf, type XmlElement } from '../../values/xml/xml-element.js';
import { readAttachments } from './attachments.js';
import { describeMessage, memberIdsOf, readTime, type Warn } from './describe-message.js';
import { kindOf, readResponse, type ScriptKind } from './message-kinds.js';

interface MessageOptions {
  readonly sourceSystem: string | undefined;
  readonly strict: boolean;
  readonly receivedAt: string;
  readonly zone: string;
}

interface MappedMessage {
  readonly envelope: EnvelopeDraft;
  readonly received: boolean;
  readonly warnings: AdapterWarning[];
  readonly kind: ScriptKind;
  readonly name: string;
  readonly documents: readonly AttachedDocument[];
}

/** The header members that an acknowledgement needs. */
export type MessageHeader = Readonly<Record<string, string>>;

/** Faults that an acknowledgement rejects; strict reading rejects them too. */
const STRICT_CODES: ReadonlySet<string> = new Set(
  (
    'MESSAGE_ID_MISSING SENDER_MISSING DATE_MISSING DATE_UNREADABLE RESPONSE_AMBIGUOUS RESPONSE_MISSING ' +
    'STATUS_UNKNOWN VERSION_MISSING CHARSET_MISMATCH'
  ).split(' '),
);

/** The transactions of a Body, which should be one. */
const NAMES_LIMIT = 20;

/** The header of a message, even if it yields no event. */
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
    transactions: root.find('Body')?.childNames().slice(0, NAMES_LIMIT).join(' ') ?? '',
  };
}

/** The event of a message, or the reason why there is none. */
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
    const message = 'a transaction of this name yields no event';
    const item = /^[A-Za-z]{1,40}$/.test(first) ? first : 'of an unknown name';
    return { refusal: { code: 'UNSUPPORTED_TRANSACTION', message, item } };
  }
  const warnings = [...about.warnings];
  const warn: Warn = (code, message) => {
    if (!warnings.some((one) => one.code === code)) warnings.push({ code, message, position: about.position });
  };
  const several = names.length > 1 || (body.children(first).length ?? 0) > 1;
  if (several) warn('RESPONSE_AMBIGUOUS', 'the Body has several transactions: its meaning is ambiguous');
  const draft = envelopeOf({ root, transaction, kind, names, several }, about.part, options, warn);
  const fault = options.strict ? warnings.find(({ code }) => STRICT_CODES.has(code)) : undefined;
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
): Pick<MappedMessage, 'envelope' | 'received' | 'documents'> {
  const header = headerOf(root);
  const id = header['message_id'] ?? '';
  if (!isUsable(id, 400)) warn('MESSAGE_ID_MISSING', 'MessageID is empty: the record id is the hash of the message');
  if (header['version'] === '') warn('VERSION_MISSING', 'the message does not state its version');
  const sent = root.text('Header', 'SentTime');
  const time = sent === '' ? null : readTime(sent, 'SentTime', options.zone);
  if (sent !== '' && time === null) warn('DATE_UNREADABLE', 'SentTime has no readable time');
  if (time === null) warn('DATE_MISSING', 'SentTime is missing: the time of receipt is used');
  const response = readResponse(transaction, kind, warn);
  // Several transactions may concern several members, so none is named.
  const memberId = several ? undefined : memberIdsOf(transaction).find((one) => isUsable(one));
  const { described: attachments, documents } = readAttachments(transaction, warn);
  const payload = compact({
    message_type: names[0],
    ...(several && { message_types: names.slice(0, NAMES_LIMIT) }),
    message_id: id,
    relates_to: root.text('Header', 'RelatesToMessageID'),
    prescriber_order_number: root.text('Header', 'PrescriberOrderNumber'),
    rx_reference_number: root.text('Header', 'RxReferenceNumber'),
    receiver: header['to'],
    ...describeMessage(transaction, warn),
    attachments,
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
    source_record_id: isUsable(id, 400) ? id : `sha256:${(part.contentSha256 ?? part.sha256).slice(0, 32)}`,
    event_effective_timestamp: time?.timestamp ?? options.receivedAt,
    ...(memberId !== undefined && { member_id: memberId }),
    outcome: several ? 'unknown' : response.outcome,
    payload,
  };
  return { envelope, received: time === null, documents };
}

function sourceSystemOf(header: MessageHeader, options: MessageOptions, warn: Warn): string {
  if (options.sourceSystem !== undefined) return options.sourceSystem;
  const from = header['from'] ?? '';
  if (isUsable(from, 128)) return from;
  warn('SENDER_MISSING', 'From names no sender: the source system is the format name');
  return 'ncpdp';
}
