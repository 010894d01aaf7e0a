import type { AnswerAbout, AnsweredPart, Header } from '../acknowledge.js';

/** Status 010: accepted by the receiver. Error 900: the transaction is rejected (External Code List). */
const [TAKEN, REJECTED] = ['010', '900'] as const;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
/** Characters that XML forbids: control characters, half surrogate pairs and two non-characters. */
const UNSPEAKABLE = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;

/** The answer to one SCRIPT message with sender and receiver swapped: Status, or Error if it was rejected. */
export function scriptAnswer(
  header: Header,
  parts: readonly AnsweredPart[],
  { nowIso, controlNumber }: AnswerAbout,
): string {
  const failed = parts.find(({ status }) => status === 'REJECTED');
  const version = header['version'] || '2017071';
  const namespace = header['namespace'] ? ` xmlns="${escapeXml(header['namespace'])}"` : '';
  const body =
    failed === undefined
      ? `<Status>${element('Code', TAKEN)}</Status>`
      : `<Error>${element('Code', REJECTED)}${element('Description', `${failed.code}: ${failed.message}`)}</Error>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<Message${namespace} version="${escapeXml(version)}">`,
    '<Header>',
    element('To', header['from'] ?? '', header['from_qualifier']),
    element('From', header['to'] ?? '', header['to_qualifier']),
    element('MessageID', controlNumber),
    element('RelatesToMessageID', header['message_id'] ?? ''),
    element('SentTime', `${nowIso.slice(0, 19)}Z`),
    `</Header><Body>${body}</Body></Message>\n`,
  ].join('');
}

/** Omits an empty text, because no SCRIPT element may be empty. */
function element(name: string, text: string, qualifier = ''): string {
  if (text === '') return '';
  const attribute = qualifier === '' ? '' : ` Qualifier="${escapeXml(qualifier)}"`;
  return `<${name}${attribute}>${escapeXml(text)}</${name}>`;
}

function escapeXml(text: string): string {
  return text.replace(UNSPEAKABLE, '').replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
