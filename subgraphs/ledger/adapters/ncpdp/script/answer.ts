import type { AnswerAbout, AnsweredPart, Header } from '../acknowledge.js';

/** Status 010: taken by the receiver. Error 900: the transaction is rejected (External Code List). */
const [taken, rejected] = ['010', '900'] as const;
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
/** What no XML may hold: control characters, halves of surrogate pairs, and two that are no characters. */
const unspeakable = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;

/** The answer to one SCRIPT message: Status, or Error where it was refused, its addresses turned round. */
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
      ? `<Status>${element('Code', taken)}</Status>`
      : `<Error>${element('Code', rejected)}${element('Description', `${failed.code}: ${failed.message}`)}</Error>`;
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

/** '' for an empty text: no element of SCRIPT may be empty. */
function element(name: string, text: string, qualifier = ''): string {
  if (text === '') return '';
  const attribute = qualifier === '' ? '' : ` Qualifier="${escapeXml(qualifier)}"`;
  return `<${name}${attribute}>${escapeXml(text)}</${name}>`;
}

function escapeXml(text: string): string {
  return text.replace(unspeakable, '').replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
