import type { Warn } from './describe-message.js';
import { goodStatusCodes, responseOutcome, type ScriptKind } from './message-kinds.js';
import type { XmlElement } from './xml-element.js';

const textLimit = 20_000;
/** Of answers, reasons and words each: what holds more was made to be costly. */
const listLimit = 100;
const wordsOf = ['DenialReason', 'Reason', 'ReasonText', 'Note', 'Description', 'NoteToPrescriber'];

/** What a response, Status or Error says. */
export interface ReadResponse {
  readonly outcome: string;
  /** The response elements, as named. */
  readonly responses: readonly string[];
  readonly reasonCodes: readonly string[];
  /** Code, DescriptionCode of Status and Error. */
  readonly codes: Record<string, unknown>;
  readonly rationale: string;
}

/** Reads what a transaction decides; two answers at once are no answer. */
export function readResponse(transaction: XmlElement, kind: ScriptKind, warn: Warn): ReadResponse {
  const response = transaction.find('Response');
  const places = [response, response?.find('ResponseStatus'), transaction.find('ResponseStatus')].filter(
    (place) => place !== undefined,
  );
  const found = places
    .flatMap((place) =>
      place
        .childNames()
        .filter((name) => responseOutcome(name) !== undefined)
        .flatMap((name) =>
          place
            .children(name)
            .slice(0, listLimit)
            .map((element) => ({ name, element })),
        ),
    )
    .slice(0, listLimit);
  const code = transaction.text('Code') || transaction.text('VerifyStatus', 'Code');
  const elements = [transaction, ...places, ...found.map(({ element }) => element)];
  return {
    outcome:
      kind.outcome !== ''
        ? kind.outcome
        : decide(
            kind,
            found.map(({ name }) => name),
            code,
            warn,
          ),
    responses: found.map(({ name }) => name),
    reasonCodes: elements
      .flatMap((element) =>
        element
          .children('ReasonCode')
          .slice(0, listLimit)
          .map((one) => one.text('Code') || one.text()),
      )
      .filter((one) => one !== '')
      .slice(0, listLimit),
    codes: { status_code: code, description_code: transaction.text('DescriptionCode') },
    rationale: rationaleOf(elements),
  };
}

function decide(kind: ScriptKind, responses: readonly string[], code: string, warn: Warn): string {
  if (kind.type === 'status') {
    if (goodStatusCodes.has(code)) return 'accepted';
    warn('STATUS_UNKNOWN', 'Status has no code, or one that is not known');
    return 'unknown';
  }
  const [only] = responses;
  if (only === undefined) {
    warn('RESPONSE_MISSING', 'the response holds no answer that is known');
    return 'unknown';
  }
  if (responses.length > 1) {
    warn('RESPONSE_AMBIGUOUS', 'the response holds several answers at once');
    return 'unknown';
  }
  return responseOutcome(only) ?? 'unknown';
}

function rationaleOf(elements: readonly XmlElement[]): string {
  const words = elements.flatMap((element) =>
    wordsOf.flatMap((name) =>
      element
        .children(name)
        .slice(0, listLimit)
        .map((one) => one.text()),
    ),
  );
  return [...new Set(words.filter((text) => text !== ''))]
    .slice(0, listLimit)
    .join('\n')
    .slice(0, textLimit)
    .replace(/[\ud800-\udbff]$/, '');
}
