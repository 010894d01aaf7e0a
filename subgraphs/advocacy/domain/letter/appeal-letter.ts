import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import { isJsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import type { Explanation } from '../explain/explanation.js';
import { type ReasonExplained, WORDS_SYSTEM } from '../explain/reasons.js';
import { serviceDay } from '../facts/record.js';
import type { JudgedCriterion, JudgedGuideline } from '../guideline/judge-guideline.js';
import type { Findings } from '../recode/suggestion.js';
import { type Attachment, attachmentsOf } from './attachments.js';
import { inline, listed } from './markdown.js';

/** What a letter says is drawn from these; it holds no word that none of them has. */
export interface LetterAsked {
  readonly event: LedgerEventView;
  readonly explanation: Explanation;
  readonly guidelines: readonly JudgedGuideline[];
  readonly findings: Findings;
  /** Of the caller, in its own words. */
  readonly notes: string | null;
  readonly entryHashes: ReadonlyMap<string, string>;
  /** Reason codes that are in no table, as `SYSTEM/CODE`. */
  readonly unknownCodes: ReadonlySet<string>;
}

export interface Appeal {
  /** Null where nothing on the record was denied: there is nothing to appeal. */
  readonly letter: string | null;
  /** Why there is no letter, or what it takes for granted; null where the record states a denial. */
  readonly note: string | null;
  /** Last day to file, YYYY-MM-DD; null where it can't be counted from the record. */
  readonly deadline: string | null;
  readonly attachments: readonly Attachment[];
}

const NOT_STATED = 'The record does not state whether this was denied. The letter is for the case that it was.';

/** A draft of an appeal in Markdown. The same input gives the same text: it bears no date of its own. */
export function appealLetter(asked: LetterAsked): Appeal {
  const { appeal_rights: rights } = asked.explanation;
  if (rights.applies === false) {
    return { letter: null, note: `No appeal is drafted. ${rights.text}`, deadline: null, attachments: [] };
  }
  const attachments = attachmentsOf(asked);
  const parts = [
    ...heading(asked),
    ...reasons(asked),
    ...asked.guidelines.flatMap((one) => guideline(one)),
    ...coding(asked.findings),
    ...(asked.notes === null ? [] : ['## In our own words', ...quoted(asked.notes)]),
    ...request(asked),
    ...rightsAndDeadline(asked.explanation),
    ...enclosures(attachments),
    ...closing(),
  ];
  const note = rights.applies === null ? NOT_STATED : null;
  return { letter: `${parts.join('\n\n')}\n`, note, deadline: rights.first_deadline, attachments };
}

function heading({ event, explanation }: LetterAsked): string[] {
  const { payload } = event;
  const facts: readonly (readonly [string, JsonValue | undefined])[] = [
    ['Member', event.member_id],
    ['Claim or request', payload['claim_id'] ?? event.source_record_id],
    ['Payer’s number', payload['payer_claim_id'] ?? payload['authorization_number']],
    ['Service', payload['service']],
    ['Day of service', serviceDay(event)?.value],
    ['Decision', event.outcome?.toLowerCase().replaceAll('_', ' ')],
    ['Record', `${event.event_id}, entry ${event.entry_hash}`],
  ];
  const known = facts.flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [`${name}: ${inline(value)}`] : [],
  );
  return [
    '# Appeal of a coverage decision',
    `To: ${inline(payerOf(payload))}`,
    listed(known),
    explanation.appeal_rights.applies === null ? NOT_STATED : 'I ask you to review this decision and to change it.',
  ];
}

function payerOf(payload: LedgerEventView['payload']): string {
  const payer = payload['payer'];
  const name = isJsonObject(payer) ? (payer['name'] ?? payer['last_name']) : payer;
  return typeof name === 'string' && name !== '' ? name : 'The plan';
}

function reasons({ explanation: { reasons: given }, unknownCodes }: LetterAsked): string[] {
  if (given.length === 0)
    return [
      '## The reasons that were given',
      'The record holds no reason. Please state it, and the rule that it rests on.',
    ];
  return ['## The reasons that were given', listed(given.map((reason) => reasonGiven(reason, unknownCodes)))];
}

function reasonGiven({ code, code_system, meaning }: ReasonExplained, unknown: ReadonlySet<string>): string {
  // Words of the sender are no code that means something else.
  if (code_system === WORDS_SYSTEM) return inline(meaning);
  const named = inline(`${code_system} ${code}`);
  return unknown.has(`${code_system}/${code}`)
    ? `${named}, which is in none of the lists at hand: please state what it means.`
    : `${named}, which members are told means: ${inline(meaning)}`;
}

const MET = { true: 'Met', false: 'Not met', null: 'Not on the record' } as const;

function guideline(one: JudgedGuideline): string[] {
  const opening = {
    SUPPORTS: 'The record meets every criterion of this guideline that applies.',
    INSUFFICIENT_INFORMATION: 'The record meets what is marked as met; for the rest see the documents asked for.',
    DOES_NOT_SUPPORT:
      'As the record stands, one criterion or more is not met. Please tell if your decision rests on it.',
  }[one.verdict];
  return [
    `## ${inline(one.title)}`,
    `${inline(one.citation ?? one.key)} (revision ${one.revision}, SHA-256 ${one.artifact_sha256}).`,
    opening,
    listed(one.criteria.map(criterion)),
  ];
}

function criterion({ text, met, evidence, settled_by }: JudgedCriterion): string {
  const shown = evidence.map(({ event_id, field, value }) => `${event_id} ${inline(field)} = ${inline(plain(value))}`);
  const settled = settled_by === undefined ? '' : ` To be settled by: ${inline(settled_by.text)}.`;
  const record = met === null || shown.length === 0 ? '' : ` Record: ${shown.join('; ')}.`;
  return `**${MET[`${met}`]}.** ${inline(text)}${record}${settled}`;
}

const plain = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

function coding({ suggestions }: Findings): string[] {
  if (suggestions.length === 0) return [];
  return [
    '## Coding',
    'The record supports these corrections. Whoever submitted the claim decides on them.',
    listed(
      suggestions.map(
        ({ from, to, reason }) =>
          `${from === null ? `Add ${inline(to)}` : `${inline(from)} → ${inline(to)}`}: ${inline(reason)}`,
      ),
    ),
  ];
}

const quoted = (notes: string): string[] => [
  notes
    .split('\n')
    .map((line) => `> ${inline(line)}`)
    .join('\n'),
];

function request({ guidelines }: LetterAsked): string[] {
  const asks = [
    'Send me the rule, criterion or clause of the plan that the decision rests on.',
    'Tell me the name and qualification of whoever made the decision, and send me every record that was looked at.',
    'Have the decision reviewed by a clinician of the same specialty who had no part in it.',
  ];
  const supported = guidelines.some(({ verdict }) => verdict === 'SUPPORTS');
  const last = supported
    ? 'I ask you to change the decision, because the record meets the guideline cited above.'
    : 'I ask you to reconsider the decision named above in the light of this letter and what is enclosed with it.';
  return ['## What I ask for', listed(asks), last];
}

function rightsAndDeadline({ appeal_rights: rights }: Explanation): string[] {
  const steps = rights.steps.filter(({ counted_from }) => counted_from === 'NOTICE' || counted_from === 'LETTER');
  const until =
    rights.first_deadline === null
      ? 'The last day to file can’t be counted from the record: the decision letter tells it.'
      : `This appeal is to be filed by **${rights.first_deadline}**, counted from ${rights.notice_date ?? 'the notice'} (${basisOf(rights)}).`;
  return [
    '## Time',
    until,
    ...(steps.length > 0 ? [listed(steps.map(({ name, citation }) => `${inline(name)}: ${inline(citation)}`))] : []),
  ];
}

const basisOf = ({ notice_date_basis: basis }: Explanation['appeal_rights']): string =>
  basis === 'NOTICE' ? 'the date of the notice' : 'the record holds no date of the notice: go by the letter';

const enclosures = (attachments: readonly Attachment[]): string[] => [
  '## Enclosed',
  attachments
    .map(({ title, sha256 }, i) => `${i + 1}. ${inline(title)}${sha256 === null ? '' : ` (${sha256})`}`)
    .join('\n'),
];

const closing = (): string[] => [
  'Name: ____________________  Signature: ____________________  Date: ____________________',
  '---',
  'Draft made from the record named above. Whoever signs checks it, completes it and answers for it. It is not legal or medical advice.',
];
