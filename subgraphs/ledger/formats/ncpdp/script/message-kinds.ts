import { byCode } from '../../values/codes.js';
import { cutText, filled, unique } from '../../values/payload.js';
import type { XmlElement } from '../../values/xml/xml-element.js';
import type { Warn } from './describe-message.js';

/** What a message of SCRIPT is about. */
export interface ScriptKind {
  readonly type: string;
  /** The outcome of every such message; '' if the message states it. */
  readonly outcome: string;
  /** True for an answer, which gets no answer. */
  readonly acknowledges?: true;
}

/**
 * Message types by the name of the Body's child, each with its names of 8.1 to 10.6 (Refill…, …RxRequest) as well as of
 * 2017071 and later. The outcome is that of the list.
 */
const SUBMITTED = byCode({
  new_rx: 'NewRx',
  new_rx_request: 'NewRxRequest',
  rx_change_request: 'RxChangeRequest ChangeRxRequest',
  rx_renewal_request: 'RxRenewalRequest RefillRequest',
  cancel_rx: 'CancelRx',
  rx_transfer_request: 'RxTransferRequest',
  rx_history_request: 'RxHistoryRequest',
  resupply: 'Resupply',
  pa_initiation_request: 'PAInitiationRequest',
  pa_request: 'PARequest',
  pa_appeal_request: 'PAAppealRequest',
  pa_cancel_request: 'PACancelRequest',
  rems_initiation_request: 'REMSInitiationRequest',
  rems_request: 'REMSRequest',
  clinical_info_request: 'ClinicalInfoRequest',
});
const RECORDED = byCode({
  rx_fill: 'RxFill',
  rx_fill_indicator_change: 'RxFillIndicatorChange',
  rx_transfer_confirm: 'RxTransferConfirm',
  drug_administration: 'DrugAdministration',
  recertification: 'Recertification',
});
/** These state their outcome. */
const DECIDED = byCode({
  rx_change_response: 'RxChangeResponse ChangeRxResponse',
  rx_renewal_response: 'RxRenewalResponse RefillResponse',
  cancel_rx_response: 'CancelRxResponse',
  rx_transfer_response: 'RxTransferResponse',
  rx_history_response: 'RxHistoryResponse',
  pa_initiation_response: 'PAInitiationResponse',
  pa_response: 'PAResponse',
  pa_appeal_response: 'PAAppealResponse',
  pa_cancel_response: 'PACancelResponse',
  pa_notification: 'PANotification',
  rems_initiation_response: 'REMSInitiationResponse',
  rems_response: 'REMSResponse',
  clinical_info_response: 'ClinicalInfoResponse',
});
const OTHER_KINDS: ReadonlyMap<string, ScriptKind> = new Map([
  ['NewRxResponseDenied', { type: 'new_rx_response', outcome: 'denied' }],
  ['Status', { type: 'status', outcome: '', acknowledges: true }],
  ['Error', { type: 'error', outcome: 'error', acknowledges: true }],
  ['Verify', { type: 'verify', outcome: 'accepted', acknowledges: true }],
]);

/** The kind of a transaction by its element's name; null if it yields no event. */
export function kindOf(name: string): ScriptKind | null {
  const lists = [
    ['submitted', SUBMITTED],
    ['recorded', RECORDED],
    ['', DECIDED],
  ] as const;
  for (const [outcome, types] of lists) {
    const type = types.get(name);
    if (type !== undefined) return { type, outcome };
  }
  return OTHER_KINDS.get(name) ?? null;
}

/** The outcome of a response element. `Replace` grants the request with another drug. */
const RESPONSES = byCode({
  approved: 'Approved Validated',
  approved_with_changes: 'ApprovedWithChanges Replace',
  denied: 'Denied DeniedNewPrescriptionToFollow',
  partially_approved: 'PartialDenied PartiallyDenied',
  pended: 'Pending Open',
  cancelled: 'Cancelled',
});

/** Status: 000 by an intermediary, 010 by the receiver, 001 and 005 on the way (External Code List). */
const GOOD_STATUS_CODES: ReadonlySet<string> = new Set(['000', '001', '002', '003', '005', '010']);

const TEXT_LIMIT = 20_000;
/** The most answers, reasons and notes read of one message, against hostile input. */
const LIST_LIMIT = 100;
const WORDS_OF = ['DenialReason', 'Reason', 'ReasonText', 'Note', 'Description', 'NoteToPrescriber'];

/** The content of a response, Status or Error. */
interface ReadResponse {
  readonly outcome: string;
  /** The names of the response elements. */
  readonly responses: readonly string[];
  readonly reasonCodes: readonly string[];
  /** Code, DescriptionCode of Status and Error. */
  readonly codes: Record<string, unknown>;
  readonly rationale: string;
}

/** Reads the decision of a transaction; two answers at once are none. */
export function readResponse(transaction: XmlElement, kind: ScriptKind, warn: Warn): ReadResponse {
  const response = transaction.find('Response');
  const places = [response, response?.find('ResponseStatus'), transaction.find('ResponseStatus')].filter(
    (place) => place !== undefined,
  );
  const found = places
    .flatMap((place) =>
      place
        .childNames()
        .filter((name) => RESPONSES.has(name))
        .flatMap((name) =>
          place
            .children(name)
            .slice(0, LIST_LIMIT)
            .map((element) => ({ name, element })),
        ),
    )
    .slice(0, LIST_LIMIT);
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
          .slice(0, LIST_LIMIT)
          .map((one) => one.text('Code') || one.text()),
      )
      .filter((one) => one !== '')
      .slice(0, LIST_LIMIT),
    codes: { status_code: code, description_code: transaction.text('DescriptionCode') },
    rationale: rationaleOf(elements),
  };
}

function decide(kind: ScriptKind, responses: readonly string[], code: string, warn: Warn): string {
  if (kind.type === 'status') {
    if (GOOD_STATUS_CODES.has(code)) return 'accepted';
    warn('STATUS_UNKNOWN', 'Status has no code or an unknown one');
    return 'unknown';
  }
  const [only] = responses;
  if (only === undefined) {
    warn('RESPONSE_MISSING', 'the response has no known answer');
    return 'unknown';
  }
  if (responses.length > 1) {
    warn('RESPONSE_AMBIGUOUS', 'the response has several answers');
    return 'unknown';
  }
  return RESPONSES.get(only) ?? 'unknown';
}

function rationaleOf(elements: readonly XmlElement[]): string {
  const words = elements.flatMap((element) =>
    WORDS_OF.flatMap((name) =>
      element
        .children(name)
        .slice(0, LIST_LIMIT)
        .map((one) => one.text()),
    ),
  );
  return cutText(unique(filled(words)).slice(0, LIST_LIMIT).join('\n'), TEXT_LIMIT);
}
