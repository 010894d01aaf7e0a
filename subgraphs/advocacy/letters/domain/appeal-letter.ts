import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import { isJsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import { type ExplainedReason, type ExplanationAnswer, WORDS_SYSTEM } from '../../explain/domain/index.js';
import { serviceDay } from '../../facts/domain/index.js';
import type { GuidelineCriterion, GuidelineResult } from '../../guideline/domain/index.js';
import type { Appeal, AppealAttachment, Findings } from '../../recode/domain/index.js';

/** The sources of a letter; it states nothing else. */
interface LetterInput {
  readonly event: LedgerEventView;
  readonly explanation: ExplanationAnswer;
  readonly guidelines: readonly GuidelineResult[];
  readonly findings: Findings;
  /** The caller's notes. */
  readonly notes: string | null;
  readonly entryHashes: ReadonlyMap<string, string>;
  /** Reason codes without a table entry, as `SYSTEM/CODE`. */
  readonly unknownCodes: ReadonlySet<string>;
}

const NOT_STATED = 'The record does not state whether this was denied. The letter is for the case that it was.';

/** Drafts an appeal in Markdown. The same input gives the same text: the letter has no date of writing. */
export function appealLetter(asked: LetterInput): Appeal {
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

function heading({ event, explanation }: LetterInput): string[] {
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

function reasons({ explanation: { reasons: given }, unknownCodes }: LetterInput): string[] {
  if (given.length === 0)
    return [
      '## The reasons that were given',
      'The record states no reason. Please state it, and the rule that it relies on.',
    ];
  return ['## The reasons that were given', listed(given.map((reason) => reasonGiven(reason, unknownCodes)))];
}

function reasonGiven({ code, code_system, meaning }: ExplainedReason, unknown: ReadonlySet<string>): string {
  // The sender's words have no code.
  if (code_system === WORDS_SYSTEM) return inline(meaning);
  const named = inline(`${code_system} ${code}`);
  return unknown.has(`${code_system}/${code}`)
    ? `${named}, which is in no available code list: please state its meaning.`
    : `${named}, which means in plain words: ${inline(meaning)}`;
}

const MET = { true: 'Met', false: 'Not met', null: 'Not on the record' } as const;

function guideline(one: GuidelineResult): string[] {
  const opening = {
    SUPPORTS: 'The record meets every criterion of this guideline that applies.',
    INSUFFICIENT_INFORMATION: 'The record meets what is marked as met; for the rest see the requested documents.',
    DOES_NOT_SUPPORT:
      'On the present record at least one criterion is not met. Please state whether your decision relies on it.',
  }[one.verdict];
  return [
    `## ${inline(one.title)}`,
    `${inline(one.citation ?? one.key)} (revision ${one.revision}, SHA-256 ${one.artifact_sha256}).`,
    opening,
    listed(one.criteria.map(criterion)),
  ];
}

function criterion({ text, met, evidence, settled_by }: GuidelineCriterion): string {
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
    'The record supports these corrections. The submitter of the claim decides on them.',
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

function request({ guidelines }: LetterInput): string[] {
  const asks = [
    'Send me the rule, criterion or clause of the plan that the decision relies on.',
    'State the name and qualification of the person who made the decision, and send me every record that was considered.',
    'Have the decision reviewed by a clinician of the same specialty who had no part in it.',
  ];
  const supported = guidelines.some(({ verdict }) => verdict === 'SUPPORTS');
  const last = supported
    ? 'I ask you to change the decision, because the record meets the guideline cited above.'
    : 'I ask you to reconsider the decision named above in the light of this letter and what is enclosed with it.';
  return ['## What I ask for', listed(asks), last];
}

function rightsAndDeadline({ appeal_rights: rights }: ExplanationAnswer): string[] {
  const steps = rights.steps.filter(({ counted_from }) => counted_from === 'NOTICE' || counted_from === 'LETTER');
  const until =
    rights.first_deadline === null
      ? 'The last day to file can’t be counted from the record: the decision letter states it.'
      : `This appeal is to be filed by **${rights.first_deadline}**, counted from ${rights.notice_date ?? 'the notice'} (${basisOf(rights)}).`;
  return [
    '## Time',
    until,
    ...(steps.length > 0 ? [listed(steps.map(({ name, citation }) => `${inline(name)}: ${inline(citation)}`))] : []),
  ];
}

const basisOf = ({ notice_date_basis: basis }: ExplanationAnswer['appeal_rights']): string =>
  basis === 'NOTICE' ? 'the date of the notice' : 'the record has no notice date: use the date of the letter';

const enclosures = (attachments: readonly AppealAttachment[]): string[] => [
  '## Enclosed',
  attachments
    .map(({ title, sha256 }, i) => `${i + 1}. ${inline(title)}${sha256 === null ? '' : ` (${sha256})`}`)
    .join('\n'),
];

const closing = (): string[] => [
  'Name: ____________________  Signature: ____________________  Date: ____________________',
  '---',
  'Draft made from the record named above. The signer checks it, completes it and answers for it. It is not legal or medical advice.',
];

/** Lists the decision, the cited records, the guidelines and the needed documents, in this order. */
function attachmentsOf({
  event,
  guidelines,
  findings,
  entryHashes,
}: Pick<LetterInput, 'event' | 'guidelines' | 'findings' | 'entryHashes'>): readonly AppealAttachment[] {
  const cited = new Set([
    event.event_id,
    ...guidelines.flatMap(({ criteria }) =>
      criteria.flatMap(({ evidence }) => evidence.map(({ event_id }) => event_id)),
    ),
    ...findings.suggestions.flatMap(({ supported_by }) => supported_by.map(({ event_id }) => event_id)),
  ]);
  const records = [...cited].map(
    (event_id): AppealAttachment => ({
      status: 'ON_RECORD',
      title: event_id === event.event_id ? `The decision: record ${event_id}` : `Record ${event_id}`,
      event_id,
      sha256: entryHashes.get(event_id) ?? null,
    }),
  );
  const rules = guidelines.map(
    ({ title, key, revision, artifact_sha256 }): AppealAttachment => ({
      status: 'ON_RECORD',
      title: `${title} (${key}, revision ${revision})`,
      event_id: null,
      sha256: artifact_sha256,
    }),
  );
  return [...records, ...rules, ...neededOf(guidelines, findings)];
}

function neededOf(guidelines: LetterInput['guidelines'], { needed }: LetterInput['findings']): AppealAttachment[] {
  const titles = new Set([
    ...guidelines.flatMap(({ criteria }) => criteria.flatMap(({ settled_by }) => settled_by?.text ?? [])),
    ...needed.map(({ code, needs }) => `${needs} (${code})`),
  ]);
  return [...titles].map((title) => ({ status: 'NEEDED', title: `To be got: ${title}`, event_id: null, sha256: null }));
}

// Markdown of letters: headings, paragraphs, lists, quotes and bold. Text of a record or a caller is data, never markup: it is
// put on one line without control characters, and markup characters are escaped.

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
/** An underscore within a word is not markup. */
const MARKUP = /[\\`*[\]<>#|~&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** Longer texts are cut and end with an ellipsis. */
const MAX_CHARACTERS = 2_000;

/** Escapes a value of a record for use within a line. */
function inline(text: string): string {
  const oneLine = text.replace(CONTROL, ' ').replace(/ {2,}/g, ' ').trim();
  const cut = oneLine.length > MAX_CHARACTERS ? `${oneLine.slice(0, MAX_CHARACTERS).trimEnd()}…` : oneLine;
  return cut.replace(MARKUP, (sign) => `\\${sign}`);
}

const listed = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');
